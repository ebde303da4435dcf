package io.couchjobs.simulation;

import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.engine.worker.SimulatedWorker;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A worker: claims jobs by the product's finder, runs them one after the other, renews their leases by its registration
 * while it does, and looks after the jobs of dead workers by the product's monitor.
 */
final class WorkerActor implements FeedListener {
    private static final int ONLY_ENDS = -3;
    private static final int OBEYS = -2;
    private static final int FAILS_FOR_GOOD = -1;
    private static final int LAST_THAT_GIVES_UP = 2;

    private final Client client;
    private final String id;
    private final Journal journal;
    private final Duration timeout;
    private final boolean isEager;
    private final boolean takesLong;
    private final boolean failsForGood;
    private final boolean onlyAccepts;
    private final boolean looksAfterOthers;
    private final Random random;
    private final Finder finder;
    private final SimulatedWorker worker;
    private final Lane ends;
    private final List<Held> held = new ArrayList<>();
    private @Nullable Consumer<Boolean> waking;
    private long beatNanos;

    /** A claim with its entry in the journal. */
    private static final class Held {
        final LeasedJob claim;
        final Journal.Run run;
        final @Nullable ChunkActor chunk;
        boolean halted;

        Held(LeasedJob claim, Journal.Run run, @Nullable ChunkActor chunk) {
            this.claim = claim;
            this.run = run;
            this.chunk = chunk;
        }
    }

    WorkerActor(Client client, String id, Journal journal, Plan plan) {
        this.client = client;
        this.id = id;
        this.journal = journal;
        this.timeout = plan.timeout();
        this.takesLong = plan.has(Plan.Freedom.LONG);
        this.isEager = plan.has(Plan.Freedom.EAGER);
        this.failsForGood = plan.has(Plan.Freedom.FRAGILE);
        this.looksAfterOthers = plan.has(Plan.Freedom.SCHEDULE);
        this.onlyAccepts = plan.has(Plan.Freedom.ACCEPTORS)
                && id.matches("w[1-9].*")
                && client.process().random().nextInt(3) == 0;
        this.random = client.process().random();
        this.finder = new Finder(client.parts(), id);
        this.ends = client.process().lane("ends", 1);
        this.worker = new SimulatedWorker(client.parts(), id, World.TYPE, this::runs, this::holds);
    }

    void start() {
        client.process().play("worker", this::work);
    }

    String id() {
        return id;
    }

    /** {@return the node that it asks first} */
    int node() {
        return client.node();
    }

    SimulatedProcess process() {
        return client.process();
    }

    /** Its process was killed: whatever it did is over. */
    void died() {
        held.forEach(one -> journal.ended(one.run, Journal.End.KILLED, "process killed"));
    }

    /** Whether it has a claim. */
    boolean holds(String token) {
        return held.stream().anyMatch(one -> one.claim.token().equals(token));
    }

    private boolean runs(JobId job) {
        return held.stream().anyMatch(one -> one.claim.id().equals(job));
    }

    @Override
    public void changed(FeedEvent event) {
        Consumer<Boolean> waiting = waking;
        if (waiting != null && event.docId().startsWith(DocIds.JOB)) {
            waking = null;
            waiting.accept(true);
        }
    }

    private void work() {
        untilItWorks(() -> {
            client.parts().index().owned(); // chooses the design documents, for which others would wait in real time
            client.parts().feed().listen(this);
            if (!onlyAccepts) {
                worker.start();
                if (looksAfterOthers) {
                    worker.letGoAndSchedule();
                }
            }
        });
        if (!onlyAccepts) {
            untilItWorks(worker::register);
        }
        while (true) {
            List<LeasedJob> claims = accept();
            claims.forEach(this::begin);
            List.copyOf(held).forEach(this::run);
            held.clear();
            if (claims.isEmpty()) {
                await(Duration.ofSeconds(2 + random.nextInt(8)));
            }
        }
    }

    private void untilItWorks(Runnable task) {
        while (true) {
            try {
                task.run();
                return;
            } catch (CouchJobsException away) {
                pause(1_000);
            }
        }
    }

    private void begin(LeasedJob claim) {
        Held one = new Held(
                claim, journal.started(claim, id), ChunkActor.of(claim, random).orElse(null));
        extend(one);
        held.add(one);
        if (!onlyAccepts) {
            worker.keep(claim, () -> halted(one, "lease over"));
        }
    }

    /** A renewal that comes after the lease was given up brings nothing back. */
    private void extend(Held one) {
        if (!one.halted) {
            long confirmed = one.claim.confirmedNanos();
            journal.extended(one.run, TimeUnit.NANOSECONDS.toMicros(confirmed + timeout.toNanos()));
        }
    }

    private List<LeasedJob> accept() {
        try {
            return finder.accept(
                    AcceptOptions.of(World.TYPE).max(1 + random.nextInt(2)).timeout(Duration.ZERO));
        } catch (CouchJobsException away) {
            journal.note(id, "cannot-accept " + away.getMessage());
            return List.of();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void await(Duration longest) {
        Boolean woken = client.process().stage().ask(then -> {
            waking = then;
            client.process().after(longest.toNanos() + random.nextInt(1_000_000_000), () -> then.accept(false));
        });
        waking = null;
        if (woken) {
            pause(random.nextInt(isEager ? 3 : 20));
        }
    }

    private void pause(long millis) {
        client.process().pause(Duration.ofMillis(millis));
    }

    private void run(Held one) {
        try {
            if (!one.run.onlyEnds) {
                handle(one);
            }
            if (!one.halted) {
                finish(one);
            }
        } catch (HaltException halt) {
            halted(one, String.valueOf(halt.getMessage()));
        } finally {
            held.remove(one);
            worker.ended(one.claim);
        }
    }

    /** Some handlers stop soon after their job is to be cancelled. */
    private void handle(Held one) {
        boolean isLong = takesLong && random.nextInt(3) == 0;
        for (int steps = isLong ? 5 + random.nextInt(45) : isEager && random.nextBoolean() ? 0 : random.nextInt(4);
                steps >= 0 && !one.halted && !(one.claim.job().isCancelRequested() && random.nextBoolean());
                steps--) {
            pause(random.nextInt(random.nextInt(10) == 0 ? 4_000 : isLong ? 1_500 : 700));
            keepAlive();
            step(one);
        }
        if (one.chunk != null) {
            runItems(one, one.chunk);
        }
    }

    private void runItems(Held one, ChunkActor chunk) {
        Optional<Integer> item = chunk.runFrom(0);
        while (item.isPresent() && !one.halted) {
            pause(random.nextInt(random.nextInt(10) == 0 ? 4_000 : 700));
            keepAlive();
            if (random.nextBoolean() && !one.halted) {
                checkpoint(one, chunk);
            }
            item = one.halted ? Optional.empty() : chunk.runFrom(item.get() + 1);
        }
    }

    private void checkpoint(Held one, ChunkActor chunk) {
        Map<Integer, JobStatus> ended = chunk.ended();
        try {
            one.claim.writeNote();
            journal.itemsEnded(one.run.job, ended);
        } catch (HaltException halt) {
            throw halt;
        } catch (CouchJobsException away) {
            journal.note(id, "cannot-checkpoint " + away.getMessage());
        }
    }

    private void step(Held one) {
        if (one.claim.isLeaseOver()) {
            halted(one, "lease over");
            return;
        }
        try {
            switch (random.nextInt(6)) {
                case 0 -> one.claim.update();
                case 1 -> one.claim.assertOwned();
                default -> {}
            }
        } catch (HaltException halt) {
            throw halt;
        } catch (CouchJobsException away) {
            journal.note(id, "cannot-renew " + away.getMessage());
        }
        extend(one);
    }

    private void halted(Held one, String why) {
        if (!one.halted) {
            one.halted = true;
            journal.ended(one.run, Journal.End.HALTED, why);
        }
    }

    private void keepAlive() {
        held.forEach(this::extend);
        if (onlyAccepts && client.process().nanos() - beatNanos >= timeout.toNanos() / 3) {
            beatNanos = client.process().nanos();
            List.copyOf(held).forEach(this::renew);
        }
    }

    /** A worker that is not registered gives its signs of life by each of its jobs. */
    private void renew(Held one) {
        try {
            one.claim.update();
        } catch (HaltException halt) {
            halted(one, String.valueOf(halt.getMessage()));
        } catch (CouchJobsException away) {
            journal.note(id, "cannot-renew " + away.getMessage());
        }
        extend(one);
    }

    /** Workers do not wait for the answers to ends; who claims by hand does. */
    private Job succeed(Held one) {
        String token = one.claim.token();
        Optional<CompletableFuture<Optional<Job>>> sent =
                token.hashCode() % 2 == 0 ? one.claim.finishBehind(TextNode.valueOf(token), ends) : Optional.empty();
        return sent.flatMap(client.process()::join).orElseGet(() -> one.claim.finish(token));
    }

    /** {@return whether it was a success} */
    private boolean end(Held one, int how) {
        boolean succeeds = how > LAST_THAT_GIVES_UP && (one.chunk == null || one.chunk.hasSucceeded());
        Job stored = succeeds ? succeed(one) : giveUp(one, how);
        if (one.chunk != null) {
            journal.itemsEnded(one.run.job, one.chunk.ended());
        }
        if (stored.phase() == JobPhase.FINISHED && !journal.asks(stored.id()).isEmpty()) {
            journal.told(id, new JobChange(stored.id(), JobPhase.FINISHED, stored));
        }
        return succeeds;
    }

    private Job giveUp(Held one, int how) {
        return switch (how) {
            case ONLY_ENDS -> one.claim.endWithoutRun();
            case OBEYS -> one.claim.acknowledgeCancel("as was asked");
            case 1 -> one.claim.release();
            case 2 -> one.claim.snooze(Duration.ofSeconds(2));
            default ->
                one.chunk != null
                        ? one.chunk.fail()
                        : one.claim.fail(JobError.Kind.FAILED, "on purpose", null, how == FAILS_FOR_GOOD);
        };
    }

    private int howToEnd(Held one) {
        if (one.run.onlyEnds) {
            return ONLY_ENDS;
        }
        if (one.claim.job().isCancelRequested() && random.nextBoolean()) {
            return OBEYS;
        }
        return failsForGood && random.nextInt(6) == 0 ? FAILS_FOR_GOOD : random.nextInt(10);
    }

    /** The handler has done its work; what it came to is stored, again and again, until that is confirmed or refused. */
    private void finish(Held one) {
        one.run.worked = Math.min(
                one.run.worked, TimeUnit.NANOSECONDS.toMicros(client.process().nanos()));
        int how = howToEnd(one);
        while (!one.halted) {
            try {
                boolean succeeded = end(one, how);
                journal.ended(
                        one.run,
                        succeeded ? Journal.End.SUCCEEDED : Journal.End.GAVE_UP,
                        succeeded ? "finished" : "gave up");
                return;
            } catch (HaltException halt) {
                throw halt;
            } catch (CouchJobsException away) {
                journal.note(id, "cannot-finish " + away.getMessage());
                pause(300 + random.nextInt(700));
                keepAlive();
                if (one.claim.isLeaseOver()) {
                    halted(one, "lease over");
                }
            }
        }
    }
}
