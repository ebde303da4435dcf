package io.couchjobs.simulation;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.create.ArrayCreator;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.After;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.DuplicateJobException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/** Adds jobs, again too, cancels, reschedules and removes them, as people and programs do. */
final class CreatorActor {
    private static final int JOBS = 6;
    private static final int ITEMS = 8;
    private static final int MOST_TRIES = 3;
    private static final long BEAT_MILLIS = 2_500;
    private static final int LATE_MILLIS = 4_000;

    private final Client client;
    private final Journal journal;
    private final Creator creator;
    private final Random random;
    private final World world;
    private final Plan.Habit habit;
    private final int rounds;
    private boolean done;

    CreatorActor(Client client, World world, int rounds) {
        this.client = client;
        this.world = world;
        this.journal = world.journal();
        this.habit = world.plan().habit();
        this.rounds = rounds;
        this.random = client.process().random();
        this.creator = new Creator(client.parts().store(), client.parts().clock());
    }

    void start() {
        client.process().play("creator", this::create);
    }

    /** {@return whether it wants nothing more, as all do soon when nothing goes wrong any more} */
    boolean isDone() {
        return done;
    }

    private void create() {
        for (int round = 0; round == 0 || (round < rounds && world.isTroubled()); round++) {
            switch (habit) {
                case MIXED -> addOrChange();
                case TOGETHER -> addWithOthers();
                case FICKLE -> addAndThinkAgain(round);
                case ONCE -> insertOnce();
                case ADDED_AGAIN -> addTwice(round);
                case ADDED_LATER -> addLater(round);
                case REMOVED -> addAndRemove(round);
                case CANCELLED -> addAndCancel(round);
                case CHAINED -> addChain(round);
                case ARRAYS -> addArray(round);
            }
        }
        done = true;
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
                    if (creator.cancel(id, CancelMode.REQUEST, null) == CancelResult.CANCELLED) {
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

    /** All creators do so at the same beat. A creator that changes the job then may be cut off with an old copy of it. */
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
        Journal.Ask ask = journal.asking(request.id());
        try {
            creator.insert(request);
            journal.added(request.id());
            journal.answered(ask, false);
        } catch (DuplicateJobException exists) {
            outcome = "duplicate ";
        } catch (CouchJobsException refused) {
            outcome = "cannot-insert " + refused.getMessage() + " ";
        }
        journal.note(client.process(), outcome + request.id());
    }

    /** Nobody ever does anything else to this job. */
    private void insertOnce() {
        JobId id = random.nextBoolean() ? fresh() : new JobId(World.TYPE, "once-" + random.nextInt(1_000_000_000));
        journal.onlyInserted(id);
        JobRequest request = request(id, client.parts().clock().instant());
        for (int tries = 0; tries < MOST_TRIES && !journal.added().contains(id); tries++) {
            insert(request);
        }
        if (journal.added().contains(id)) {
            world.announce(id);
        }
        client.process().pause(Duration.ofMillis(random.nextInt(6_000)));
    }

    /** Most are cancelled, while they wait, run, or have just ended; few are wanted again after that. */
    private void addAndCancel(int round) {
        JobId id = new JobId(World.TYPE, client.process() + "-" + round);
        boolean isLater = random.nextInt(4) == 0;
        if (!isInserted(request(id, client.parts().clock().instant().plusSeconds(isLater ? 5 : 0)))) {
            return;
        }
        world.announce(id);
        int longest = 1_000;
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
            client.process().pause(Duration.ofMillis(random.nextInt(longest)));
            longest = 6_000;
            try {
                cancelOrWantAgain(id, random.nextInt(12));
            } catch (CouchJobsException refused) {
                journal.note(client.process(), "cannot-change " + id + " " + refused.getMessage());
            }
        }
    }

    private void cancelOrWantAgain(JobId id, int what) {
        if (what > 1) {
            cancel(id);
            return;
        }
        journal.askedAgain(id);
        if (what == 0) {
            add(request(id, client.parts().clock().instant()));
        } else {
            journal.note(client.process(), "retries " + id);
            Journal.Ask ask = journal.asking(id);
            creator.change(id, "is left to its owner", (job, now) -> Transitions.retry(job, null, now));
            journal.answered(ask, false);
        }
    }

    private void cancel(JobId id) {
        journal.cancelled(id);
        journal.note(client.process(), "cancels " + id);
        journal.note(client.process(), "cancelled " + id + " " + creator.cancel(id, CancelMode.REQUEST, null));
    }

    /** The second job is added when the first one is there, and must not run before that has ended. */
    private void addChain(int round) {
        JobId first = new JobId(World.TYPE, client.process() + "-" + round);
        JobId second = new JobId(World.TYPE, client.process() + "-" + round + "-after");
        if (isInserted(request(first, client.parts().clock().instant()))) {
            journal.comesAfter(second, first);
            JobRequest after = JobRequest.builder(second.type())
                    .id(second.id())
                    .data(Map.of())
                    .after(first)
                    .onFailure(After.OnFailure.RUN)
                    .build();
            if (isInserted(after)) {
                world.announce(second);
            }
        }
        client.process().pause(Duration.ofMillis(random.nextInt(4_000)));
    }

    /** Adds two chunks, and adds the array again when no answer comes. */
    private void addArray(int round) {
        JobId array = new JobId(World.TYPE, client.process() + "-" + round);
        JobRequest template = JobRequest.builder(array.type())
                .id(array.id())
                .data(Map.of())
                .maxRetries(2)
                .build();
        List<JobId> chunks = List.of(ArrayCreator.chunkId(array, 1), ArrayCreator.chunkId(array, 2));
        ArrayCreator arrays =
                new ArrayCreator(client.parts().store(), creator, client.parts().clock());
        chunks.forEach(journal::onlyInserted);
        for (int tries = 0; tries < MOST_TRIES && !journal.added().contains(chunks.get(0)); tries++) {
            List<Journal.Ask> asks = chunks.stream().map(journal::asking).toList();
            try {
                arrays.add(template, Collections.nCopies(ITEMS, Map.of()).iterator(), ITEMS / 2);
                asks.forEach(ask -> journal.answered(ask, false));
                chunks.forEach(journal::added);
                chunks.forEach(world::announce);
            } catch (CouchJobsException refused) {
                journal.note(client.process(), "cannot-insert " + array + " " + refused.getMessage());
            }
        }
        for (int changes = random.nextInt(6); changes > 0; changes--) {
            client.process().pause(Duration.ofMillis(random.nextInt(2_000)));
            prioritize(chunks.get(random.nextInt(chunks.size())));
        }
    }

    private void prioritize(JobId id) {
        try {
            creator.change(id, "stays", (job, now) -> Transitions.prioritize(job, random.nextInt(100), now));
        } catch (CouchJobsException refused) {
            journal.note(client.process(), "cannot-change " + refused.getMessage());
        }
    }

    private boolean isInserted(JobRequest request) {
        journal.onlyInserted(request.id());
        for (int tries = 0; tries < MOST_TRIES && !journal.added().contains(request.id()); tries++) {
            insert(request);
        }
        return journal.added().contains(request.id());
    }

    private void insert(JobRequest request) {
        Journal.Ask ask = journal.asking(request.id());
        try {
            creator.insert(request);
            journal.added(request.id());
            journal.answered(ask, false);
            journal.note(client.process(), "inserted " + request.id());
        } catch (CouchJobsException refused) {
            journal.note(client.process(), "cannot-insert " + request.id() + " " + refused.getMessage());
        }
    }

    private JobId fresh() {
        UUID uuid = new UUID((random.nextLong() & ~0xF000L) | 0x4000L, (random.nextLong() >>> 2) | Long.MIN_VALUE);
        return new JobId(World.TYPE, uuid.toString());
    }

    /** The second time when its run is about to end. */
    private void addTwice(int round) {
        JobId id = new JobId(World.TYPE, client.process() + "-" + round);
        insert(request(id, client.parts().clock().instant()));
        if (world.meetings().awaitEnd(client.process(), id)) {
            client.process().pause(Duration.ofNanos(1_000L * random.nextInt(15_000)));
            try {
                add(request(id, client.parts().clock().instant()));
            } catch (CouchJobsException refused) {
                journal.note(client.process(), "cannot-change " + refused.getMessage());
            }
        }
    }

    /** The second time when retention may just be about to delete it. */
    private void addLater(int round) {
        JobId id = new JobId(World.TYPE, client.process() + "-" + round);
        insert(request(id, client.parts().clock().instant()));
        client.process().pause(Duration.ofMillis(5_000 + random.nextInt(5_000)));
        try {
            add(request(id, client.parts().clock().instant()));
        } catch (CouchJobsException refused) {
            journal.note(client.process(), "cannot-change " + refused.getMessage());
        }
    }

    private void addAndRemove(int round) {
        JobId id = new JobId(World.TYPE, client.process() + "-" + round);
        boolean runsSoon = random.nextInt(4) == 0;
        insert(request(id, client.parts().clock().instant().plusSeconds(runsSoon ? 1 : 60)));
        client.process().pause(Duration.ofMillis(random.nextInt(3_000)));
        try {
            remove(id);
            journal.notToRun(id, "it was removed", Duration.ofDays(1));
        } catch (CouchJobsException refused) {
            journal.note(client.process(), "cannot-remove " + id + " " + refused.getMessage());
        }
    }

    private void change(JobId id) {
        Instant soon = client.parts().clock().instant().plusMillis(random.nextInt(3_000));
        int what = random.nextInt(24);
        if (what < 11) {
            add(request(id, soon));
        } else if (what < 13) {
            Journal.Ask ask = journal.asking(id);
            boolean added = creator.insertIfNew(request(id, soon));
            journal.answered(ask, false);
            journal.note(client.process(), "inserts " + id + " " + added);
            journal.added(id);
        } else if (what < 15) {
            cancel(id);
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
        JobRequest request = request(fresh(), soon);
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
        Journal.Ask ask = journal.asking(id);
        AddResult result = creator.add(List.of(request), false).get(0);
        if (result.outcome() != AddResult.Outcome.REJECTED) {
            journal.answered(ask, isPromised(result));
        }
        journal.note(client.process(), "added " + id + " " + result.outcome());
        if (result.job().filter(job -> job.fence() > 0).isPresent()) {
            journal.askedAgain(id);
        }
        if (result.outcome() != AddResult.Outcome.REJECTED) {
            journal.added(id);
        }
    }

    /** A new job may be one that others have added and run before, where a minority has not heard of that. */
    private static boolean isPromised(AddResult result) {
        return switch (result.outcome()) {
            case ADDED, UPDATED, RESUBMITTED ->
                result.job()
                        .flatMap(Job::rev)
                        .filter(rev -> !rev.startsWith("1-"))
                        .isPresent();
            case UNCHANGED, REJECTED -> false;
        };
    }

    private JobRequest request(JobId id, Instant soon) {
        return JobRequest.builder(id.type())
                .id(id.id())
                .data(Map.of("by", client.process().toString()))
                .scheduledTime(random.nextBoolean() ? Instant.EPOCH : soon)
                .build();
    }
}
