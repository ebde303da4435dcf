package io.couchjobs.chaos;

import io.couchjobs.JobQueue;
import io.couchjobs.chaos.Entry.What;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.create.ArrayCreator;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.DuplicateJobException;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Creates jobs of all kinds, cancels some of them, and notes the queue's answers. Not thread-safe. */
final class Creator {
    private static final int TRIES = 5;
    private static final int BATCH = 6;
    /** A job that waits for another waits for one of this many latest jobs, which usually has not ended. */
    private static final int JUST_MADE = 8;
    /** A job to be cancelled is one of this many latest jobs. It may be pending, running or ended. */
    private static final int WELL_UNDER_WAY = 40;

    private static final int OF_A_CHUNK = 100;

    private static final long LATEST_MILLIS = 6_000;

    private final JobQueue queue;
    private final Journal journal;
    private final Random random;
    private final String name;
    private final int crowd;
    private final int items;
    private final List<JobId> known = new ArrayList<>();
    /** The known jobs that run for seconds. */
    private final List<JobId> lasting = new ArrayList<>();

    private final List<JobId> again = new ArrayList<>();
    private final Deck<Kind> kinds;
    private int made;

    /** A job to add, and its description in the journal. */
    private record Plan(Kind kind, JobRequest request, String detail) {
        JobId id() {
            return request.id();
        }
    }

    Creator(JobQueue queue, Journal journal, Random random, String name, int crowd, int items) {
        this.queue = queue;
        this.journal = journal;
        this.random = random;
        this.name = name;
        this.crowd = crowd;
        this.items = items;
        this.kinds = Kind.deck(random);
    }

    /** Performs one random action. */
    void act() {
        int dice = random.nextInt(100);
        if (dice < 6) {
            stopOneThatRuns();
        } else if (dice < 18 && !known.isEmpty()) {
            cancel(
                    random.nextBoolean() && !lasting.isEmpty()
                            ? oneOf(lasting, JUST_MADE)
                            : oneOf(known, WELL_UNDER_WAY));
        } else if (dice < 28) {
            Stream<Plan> many = Stream.generate(() -> plan(Kind.SHORT)).limit(crowd);
            insertAll(Stream.concat(Stream.generate(this::plan).limit(BATCH), many)
                    .toList());
        } else if (dice < 38 && !again.isEmpty()) {
            addAgain(again.get(random.nextInt(again.size())));
        } else if (dice < 42 && items > 0) {
            addArray();
        } else {
            insert(plan());
        }
    }

    /** Picks one of the latest jobs. */
    private JobId oneOf(List<JobId> ids, int latest) {
        return ids.get(ids.size() - 1 - random.nextInt(Math.min(latest, ids.size())));
    }

    private Plan plan() {
        return plan(kinds.next());
    }

    private Plan plan(Kind kind) {
        JobRequest.Builder request = JobRequest.builder(kind.type()).data(kind.task(random));
        if (random.nextBoolean()) {
            request.id(name + "-" + made++);
        }
        long time = 0;
        String after = "";
        if (kind == Kind.LATER) {
            time = System.currentTimeMillis() + random.nextLong(500, LATEST_MILLIS);
            request.scheduledTime(Instant.ofEpochMilli(time));
        }
        if (kind == Kind.HELD && !known.isEmpty()) {
            JobId other = oneOf(known, JUST_MADE);
            request.after(other);
            after = other.docId();
        }
        return new Plan(kind, request.build(), String.join(" ", kind.name(), Long.toString(time), after));
    }

    private void insert(Plan plan) {
        journal.note(What.ADDING, plan.id().docId(), plan.detail());
        for (int tries = 0; tries < TRIES; tries++) {
            try {
                queue.insert(plan.request());
                acknowledged(plan);
                return;
            } catch (DuplicateJobException ownEarlierTry) {
                acknowledged(plan);
                return;
            } catch (CouchJobsException trouble) {
                tell("insert " + plan.id(), trouble);
            }
        }
    }

    private void insertAll(List<Plan> plans) {
        plans.forEach(plan -> journal.note(What.ADDING, plan.id().docId(), plan.detail()));
        try {
            List<AddResult> results =
                    queue.insert(plans.stream().map(Plan::request).toList());
            for (int i = 0; i < plans.size(); i++) {
                if (results.get(i).outcome() == AddResult.Outcome.ADDED) {
                    acknowledged(plans.get(i));
                }
            }
        } catch (CouchJobsException trouble) {
            tell("insert " + plans.size() + " jobs", trouble);
        }
    }

    /** Adds an array. Tries a few times until the whole array is confirmed. */
    private void addArray() {
        JobId array = new JobId(Kind.ITEMS.type(), name + "-array-" + made++);
        List<Work.Task> tasks =
                Stream.generate(() -> Kind.ITEMS.task(random)).limit(items).toList();
        List<JobId> chunks = IntStream.rangeClosed(1, (items + OF_A_CHUNK - 1) / OF_A_CHUNK)
                .mapToObj(number -> ArrayCreator.chunkId(array, number))
                .toList();
        chunks.forEach(chunk -> journal.note(What.ADDING, chunk.docId(), Kind.ITEMS.name() + " 0 "));
        JobRequest template =
                JobRequest.builder(array.type()).id(array.id()).data(Map.of()).build();
        for (int tries = 0; tries < TRIES; tries++) {
            try {
                queue.arrays().add(template, tasks, OF_A_CHUNK);
                acknowledged(chunks);
                return;
            } catch (CouchJobsException trouble) {
                tell("add array " + array, trouble);
            }
        }
    }

    private void acknowledged(List<JobId> chunks) {
        for (int i = 0; i < chunks.size(); i++) {
            int ofIt = Math.min(OF_A_CHUNK, items - i * OF_A_CHUNK);
            journal.note(What.ADDED, chunks.get(i).docId(), Integer.toString(ofIt));
        }
        known.addAll(chunks);
    }

    private void acknowledged(Plan plan) {
        journal.note(What.ADDED, plan.id().docId(), "");
        (plan.kind() == Kind.AGAIN ? again : known).add(plan.id());
        if (plan.kind() == Kind.LONG || plan.kind() == Kind.ENDLESS) {
            lasting.add(plan.id());
        }
    }

    private void addAgain(JobId id) {
        long before = System.nanoTime();
        journal.note(What.ADDING_AGAIN, id.docId(), "");
        try {
            AddResult result = queue.add(JobRequest.builder(id.type())
                    .id(id.id())
                    .data(Kind.AGAIN.task(random))
                    .build());
            if (result.outcome() != AddResult.Outcome.REJECTED && result.outcome() != AddResult.Outcome.UNCHANGED) {
                journal.note(
                        before, What.ADDED_AGAIN, id.docId(), result.outcome().name());
            }
        } catch (CouchJobsException trouble) {
            tell("add " + id + " again", trouble);
        }
    }

    /** Cancels a running job, one of the lasting jobs: few random jobs have an owner, and these end soon. */
    private void stopOneThatRuns() {
        List<JobId> latest = lasting.subList(Math.max(0, lasting.size() - JUST_MADE), lasting.size());
        latest.stream().filter(this::isRunning).findAny().ifPresent(id -> cancel(id, CancelMode.REQUEST));
    }

    private boolean isRunning(JobId id) {
        try {
            return queue.get(id.type(), id.id())
                    .filter(job -> job.status() == JobStatus.RUNNING)
                    .isPresent();
        } catch (CouchJobsException trouble) {
            tell("read " + id, trouble);
            return false;
        }
    }

    private void cancel(JobId id) {
        cancel(id, random.nextInt(4) > 0 ? CancelMode.REQUEST : CancelMode.IF_QUEUED);
    }

    private void cancel(JobId id, CancelMode mode) {
        journal.note(What.CANCELLING, id.docId(), "");
        try {
            CancelResult result = queue.cancel(id.type(), id.id(), mode);
            noted(result).ifPresent(what -> journal.note(what, id.docId(), ""));
        } catch (CouchJobsException trouble) {
            tell("cancel " + id, trouble);
        }
    }

    private static Optional<What> noted(CancelResult result) {
        return switch (result) {
            case CANCELLED -> Optional.of(What.CANCELLED);
            case REQUESTED, AT_NEXT_CLAIM -> Optional.of(What.CANCEL_REQUESTED);
            case RUNNING -> Optional.of(What.CANCEL_REFUSED);
            case ALREADY_FINISHED -> Optional.empty();
        };
    }

    private static void tell(String what, CouchJobsException trouble) {
        System.err.println("cannot " + what + ": " + trouble.getMessage());
    }
}
