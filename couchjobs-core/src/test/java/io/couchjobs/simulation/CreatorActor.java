package io.couchjobs.simulation;

import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Transitions;
import io.couchjobs.problem.CouchJobsException;
import io.couchjobs.store.AddResult;
import io.couchjobs.store.CancelMode;
import io.couchjobs.store.CancelResult;
import io.couchjobs.store.Creator;
import io.couchjobs.store.DuplicateJobException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/** Adds jobs, again too, cancels, reschedules and removes them, as people and programs do. */
final class CreatorActor {
    private static final int JOBS = 6;
    private static final int MOST_TRIES = 3;
    private static final long BEAT_MILLIS = 2_500;
    private static final int LATE_MILLIS = 4_000;

    private final Client client;
    private final Journal journal;
    private final Creator creator;
    private final Random random;
    private final World.Habit habit;
    private final int rounds;

    CreatorActor(Client client, Journal journal, World.Habit habit, int rounds) {
        this.client = client;
        this.journal = journal;
        this.habit = habit;
        this.rounds = rounds;
        this.random = client.process().random();
        this.creator = new Creator(client.parts().store(), client.parts().clock());
    }

    void start() {
        client.process().play("creator", this::create);
    }

    private void create() {
        for (int round = 0; round < rounds; round++) {
            switch (habit) {
                case MIXED -> addOrChange();
                case TOGETHER -> addWithOthers();
                case FICKLE -> addAndThinkAgain(round);
            }
        }
    }

    private void addOrChange() {
        JobId id = new JobId(World.TYPE, Integer.toString(random.nextInt(JOBS)));
        try {
            change(id);
        } catch (CouchJobsException refused) {
            journal.note(client.process(), "cannot-change " + refused.getMessage());
        }
        client.process().pause(Duration.ofMillis(random.nextInt(4_000)));
    }

    /** Nobody else knows the job: what this creator was told of it must hold. */
    private void addAndThinkAgain(int round) {
        Instant soon = client.parts().clock().instant().plusMillis(random.nextInt(8_000));
        JobId id = new JobId(World.TYPE, client.process() + "-" + round);
        journal.onlyInserted(id);
        try {
            add(request(id, soon));
            client.process().pause(Duration.ofMillis(random.nextInt(6_000)));
            switch (random.nextInt(3)) {
                case 0 -> {
                    journal.cancelled(id);
                    if (creator.cancel(id, CancelMode.REQUEST) == CancelResult.CANCELLED) {
                        journal.notToRun(id, "it was cancelled", Duration.ofDays(1));
                    }
                }
                case 1 -> {
                    remove(id);
                    journal.notToRun(id, "it was removed", Duration.ofDays(1));
                }
                default -> {
                    Instant later = client.parts().clock().instant().plusSeconds(20);
                    creator.change(id, "stays", (job, now) -> Transitions.reschedule(job, later, now));
                    Duration left = Duration.between(client.parts().clock().instant(), later);
                    journal.notToRun(id, "it was put off", left);
                }
            }
        } catch (CouchJobsException refused) {
            journal.note(client.process(), "cannot-change " + refused.getMessage());
        }
    }

    /** All creators do so at the same beat. Whoever changes the job then may be cut off with an old copy of it. */
    private void addWithOthers() {
        Instant due = client.parts().clock().instant();
        client.process().pause(Duration.ofMillis(BEAT_MILLIS - due.toEpochMilli() % BEAT_MILLIS));
        long beat = client.parts().clock().instant().toEpochMilli() / BEAT_MILLIS;
        if (beat % 2 == 0) {
            insertWithOthers(request(new JobId(World.TYPE, "only-" + beat), due));
            return;
        }
        JobId id = new JobId(World.TYPE, "beat-" + beat);
        try {
            add(request(id, due));
            if (random.nextInt(3) == 0) {
                client.process().pause(Duration.ofMillis(random.nextInt(2_000)));
                creator.change(id, "stays", (job, now) -> Transitions.reschedule(job, due, now));
            }
        } catch (CouchJobsException refused) {
            journal.note(client.process(), "cannot-change " + refused.getMessage());
        }
    }

    /** Some are late. Nobody ever does anything else to this job. */
    private void insertWithOthers(JobRequest request) {
        journal.onlyInserted(request.id());
        if (random.nextBoolean()) {
            client.process().pause(Duration.ofMillis(random.nextInt(LATE_MILLIS)));
        }
        String outcome = "inserted ";
        try {
            creator.insert(request);
            journal.added(request.id());
        } catch (DuplicateJobException exists) {
            outcome = "duplicate ";
        } catch (CouchJobsException refused) {
            outcome = "cannot-insert " + refused.getMessage() + " ";
        }
        journal.note(client.process(), outcome + request.id());
    }

    private void change(JobId id) {
        Instant soon = client.parts().clock().instant().plusMillis(random.nextInt(3_000));
        int what = random.nextInt(24);
        if (what < 11) {
            add(request(id, soon));
        } else if (what < 13) {
            boolean added = creator.insertIfNew(request(id, soon));
            journal.note(client.process(), "inserts " + id + " " + added);
            journal.added(id);
        } else if (what < 15) {
            journal.cancelled(id);
            journal.note(client.process(), "cancels " + id);
            journal.note(client.process(), "cancelled " + id + " " + creator.cancel(id, CancelMode.REQUEST));
        } else if (what < 17) {
            creator.change(id, "stays", (job, now) -> Transitions.reschedule(job, soon, now));
        } else if (what < 19) {
            creator.change(id, "stays", (job, now) -> Transitions.prioritize(job, random.nextInt(100), now));
        } else if (what < 20) {
            remove(id);
        } else {
            addNew(soon);
        }
    }

    /** A job with an id of its own; who hears nothing adds it again. */
    private void addNew(Instant soon) {
        UUID uuid = new UUID((random.nextLong() & ~0xF000L) | 0x4000L, (random.nextLong() >>> 2) | Long.MIN_VALUE);
        JobRequest request = request(new JobId(World.TYPE, uuid.toString()), soon);
        for (int tries = 1; ; tries++) {
            try {
                add(request);
                return;
            } catch (CouchJobsException away) {
                journal.note(client.process(), "adds-again " + request.id());
                if (tries == MOST_TRIES) {
                    throw away;
                }
                client.process().pause(Duration.ofMillis(random.nextInt(2_000)));
            }
        }
    }

    private void remove(JobId id) {
        journal.note(client.process(), "removes " + id);
        Journal.Removal removal = journal.removing(id);
        boolean answered = false;
        try {
            creator.remove(id);
            answered = true;
            journal.note(client.process(), "removed " + id);
        } finally {
            journal.ended(removal, answered);
        }
    }

    private void add(JobRequest request) {
        JobId id = request.id();
        journal.note(client.process(), "adds " + id);
        AddResult result = creator.add(List.of(request), false).get(0);
        journal.note(client.process(), "added " + id + " " + result.outcome());
        if (result.outcome() != AddResult.Outcome.REJECTED) {
            journal.added(id);
        }
    }

    private JobRequest request(JobId id, Instant soon) {
        return JobRequest.builder(id.type())
                .id(id.id())
                .data(Map.of("by", client.process().toString()))
                .scheduledTime(random.nextBoolean() ? Instant.EPOCH : soon)
                .build();
    }
}
