package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.lifecycle.Resolution;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobState;
import io.couchjobs.job.MalformedJobException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the state that a majority of the copies has of jobs that seem to have ended or to be gone. Any node may show an
 * end that no majority has and that is undone later; listeners are not told such an end. Thread-safe.
 *
 * <p>Jobs are read in batches, each of them between two {@linkplain MajorityProbe probes}. A job that has conflicts, or of which
 * there are only tombstones of losing leaves, has neither ended nor gone: it is read again a little later, and its conflict is
 * resolved meanwhile. Each job has pauses of its own, so that an undecided job does not delay others. On one copy
 * nothing is probed.
 *
 * <p>A removal leaves a tombstone. If the majority has nothing at all of a job, a minority may still have it. Callers
 * that have seen the job are then told nothing; the feed reports the job when its copy has it.
 */
public final class ConfirmedEnds implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ConfirmedEnds.class);
    private static final int BATCH = 100;
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(3);
    private static final long SHORTEST_WAIT = Duration.ofMillis(1).toNanos();
    /** The wait for the answer to a write of this process; the feed may report the write before. */
    private static final Duration OWN_ANSWER = Duration.ofSeconds(1);

    private final JobStore store;
    private final CouchDatabase database;
    private final Lane lane;
    /** Whether the last reading came to nothing because no majority was in reach. Only the thread uses it. */
    private boolean cutOff;
    // From here on guarded by this object.
    private final Map<String, Question> questions = new LinkedHashMap<>();
    private @Nullable Long plannedNanos;

    ConfirmedEnds(JobStore store) {
        this.store = store;
        this.database = store.database();
        this.lane = store.environment().lane("couchjobs-confirmed", 1);
    }

    /** Is told the state of a job. */
    public interface Listener {
        /**
         * The job as a majority of the copies has it, whether it has ended or not. When a node has shown an end that
         * the majority does not have yet, this is called again as soon as the majority has that end, or something
         * later.
         */
        void told(Snapshot sure);

        /** False when it is not interested any more. */
        boolean asks(JobId id);
    }

    /** Is told the state of a job. */
    public interface Asker {
        /**
         * A majority of the copies has the job so.
         *
         * @param job the job, which may not have ended after all; empty when it is gone
         */
        void confirmed(JobId id, Optional<Job> job);

        /**
         * Whether it is still interested.
         *
         * @return false to be told nothing
         */
        boolean asks(JobId id);
    }

    /** Asks, once, whether there is more than one copy: where there is not, nothing needs to be confirmed. */
    public void prepare() {
        try {
            store.isCluster();
        } catch (CouchException away) {
            log.debug("it is not known yet whether there are several copies: {}", away.toString());
        }
    }

    /**
     * Whether a job can be reported as it is: it has not ended, or there is one copy only, or this process itself was
     * told that a majority has this end.
     *
     * @param seen the job as any node shows it
     * @return false when it must be {@linkplain #ask asked} for
     */
    public boolean isSure(Job seen) {
        return seen.state() != JobState.FINISHED
                || !store.isDoubtful(seen.id().docId(), seen.rev().orElse(""));
    }

    public boolean isSure(Snapshot seen) {
        return !seen.isEnd()
                || seen.isConfirmed()
                || !store.isDoubtful(seen.id().docId(), seen.rev());
    }

    /**
     * Reads a job as soon as possible, and again until the state that a majority of the copies has is known.
     *
     * @param asker told once, on a common thread; nothing when its document is no job
     */
    public void ask(JobId id, Asker asker) {
        ask(id, new Told(asker, store));
    }

    /**
     * As {@link #ask(JobId, Asker)}, for a job that was seen. It is not read when an answer tells this process that a
     * majority has it so.
     *
     * @param seen the job as any node shows it
     * @param asker told once, on a common thread
     */
    public void ask(Job seen, Asker asker) {
        ask(Snapshot.of(seen), new Told(asker, store));
    }

    /**
     * As {@link #ask(JobId, Asker)}, for a job that the feed has reported.
     *
     * @param seen the state that the feed reported, such as its removal
     * @param asker told once, on a common thread
     */
    public void ask(JobId id, Optional<Snapshot> seen, Asker asker) {
        ask(id, seen, new Told(asker, store));
    }

    public void ask(JobId id, Optional<Snapshot> seen, Listener listener) {
        seen.ifPresentOrElse(news -> ask(news, listener), () -> ask(id, listener));
    }

    /** The job is not read when an answer tells this process that a majority has the state seen. */
    public synchronized void ask(Snapshot seen, Listener listener) {
        Question question = question(seen.id(), listener);
        question.seen = seen;
        question.end = seen.isEnd() ? seen : question.end;
        boolean mayBeOwn = store.ownWrites().areUnderWay(seen.id().docId());
        question.dueNanos = nanos() + (mayBeOwn ? OWN_ANSWER.toNanos() : 0);
        plan();
    }

    /** A write of this process was answered. */
    synchronized void answered(String docId) {
        Question question = questions.get(docId);
        if (question != null && !store.ownWrites().areUnderWay(docId)) {
            question.dueNanos = nanos();
            plan();
        }
    }

    /** A listener is told once, however often it asked. */
    public synchronized void ask(JobId id, Listener listener) {
        Question question = question(id, listener);
        question.seen = null;
        question.dueNanos = nanos(); // something has happened
        plan();
    }

    /**
     * Reads some jobs once, for a caller that has not seen them.
     *
     * @return by document id, the jobs as a majority has them; without those whose state is unknown, and without
     *     documents that are no jobs
     */
    public Map<String, Snapshot> read(List<String> docIds) {
        Map<String, Snapshot> known = new HashMap<>();
        readOnce(docIds)
                .ifPresent(found ->
                        found.forEach((docId, snapshot) -> snapshot.ifPresent(sure -> known.put(docId, sure))));
        return known;
    }

    @Override
    public void close() {
        lane.close();
    }

    private Question question(JobId id, Listener listener) {
        Question question = questions.computeIfAbsent(id.docId(), docId -> new Question(id));
        question.listeners.add(listener);
        question.toldRev = null;
        return question;
    }

    /** Empty when no majority was in reach; a document that is no job has an entry without a value. */
    private Optional<Map<String, Optional<Snapshot>>> readOnce(List<String> docIds) {
        return store.majority().read(docIds, () -> snapshots(docIds));
    }

    private long nanos() {
        return store.environment().nanos();
    }

    private synchronized void plan() {
        long next = Long.MAX_VALUE;
        long now = nanos();
        for (Question question : questions.values()) {
            next = Math.min(next, question.dueNanos - now);
        }
        long at = now + (next <= 0 ? 0 : Math.max(SHORTEST_WAIT, next)); // a clock may be coarser than a nanosecond
        if (questions.isEmpty() || (plannedNanos != null && plannedNanos - at <= 0)) {
            return;
        }
        lane.schedule(Duration.ofNanos(at - now), () -> work(at));
        plannedNanos = at;
    }

    private void work(long at) {
        Map<String, Question> batch = next(at);
        try {
            Map<String, Question> toRead = new LinkedHashMap<>(batch);
            toRead.values().removeIf(this::answersItself);
            if (!toRead.isEmpty()) {
                answer(toRead);
            }
        } catch (RuntimeException trouble) {
            log.debug("{} jobs cannot be read now, and are read again: {}", batch.size(), trouble.toString());
        } finally {
            askAgain(batch);
        }
    }

    private boolean answersItself(Question question) {
        Snapshot seen = question.seen;
        if (seen == null || !isSure(seen)) {
            return false;
        }
        question.answer(seen.confirmed());
        return true;
    }

    private void answer(Map<String, Question> batch) {
        Optional<Map<String, Optional<Snapshot>>> found = readOnce(List.copyOf(batch.keySet()));
        if (found.isEmpty() && !cutOff) {
            log.warn(
                    "no majority of the copies is in reach: the ends of {} jobs, and of others meanwhile, are told when one is",
                    batch.size());
        }
        cutOff = found.isEmpty();
        found.ifPresent(known -> {
            boolean isGoneWithDatabase =
                    known.values().stream().flatMap(Optional::stream).anyMatch(Snapshot::isUnknown)
                            && store.isMadeAnew();
            known.forEach((docId, sure) -> {
                Question question = batch.get(docId);
                if (question != null) {
                    answer(question, sure, isGoneWithDatabase);
                }
            });
        });
    }

    private static void answer(Question question, Optional<Snapshot> sure, boolean isGoneWithDatabase) {
        if (sure.isEmpty()) {
            // A job overwritten by a document that is no job has no end; the feed tells when it is a job again.
            question.listeners.clear();
        } else if (sure.get().isUnknown() && !isGoneWithDatabase) {
            question.answerUnknown(sure.get());
        } else {
            question.answer(sure.get());
        }
    }

    private synchronized void askAgain(Map<String, Question> batch) {
        batch.forEach((docId, open) -> {
            if (!open.listeners.isEmpty()) {
                Question present = questions.putIfAbsent(docId, open);
                if (present != null) {
                    present.listeners.addAll(open.listeners);
                    present.seen = null;
                    present.end = present.end == null ? open.end : present.end;
                    present.toldRev = null;
                } else {
                    open.dueNanos = nanos() + open.backoff.next().toNanos();
                }
            }
        });
        plan();
    }

    private synchronized Map<String, Question> next(long at) {
        if (plannedNanos != null && plannedNanos == at) {
            plannedNanos = null;
        }
        questions.values().removeIf(Question::isForgotten);
        long now = nanos();
        Map<String, Question> batch = new LinkedHashMap<>();
        for (Map.Entry<String, Question> one : questions.entrySet()) {
            if (batch.size() < BATCH && one.getValue().dueNanos - now <= 0) {
                batch.put(one.getKey(), one.getValue());
            }
        }
        questions.keySet().removeAll(batch.keySet());
        return batch;
    }

    /** The question about one job. Guarded by the enclosing object, or owned by its thread while that works on it. */
    private final class Question {
        private final JobId id;
        private final Set<Listener> listeners = new LinkedHashSet<>(2);
        private final Backoff backoff = new Backoff(store.environment(), SHORTEST_PAUSE, LONGEST_PAUSE);
        private long dueNanos;
        private @Nullable Snapshot seen;
        /**
         * The last end that a node has shown. The node's feed does not tell when a majority of the copies has it, too.
         */
        private @Nullable Snapshot end;

        /**
         * The revision that the listeners were told while that end is yet to come; null when one of them was told
         * nothing.
         */
        private @Nullable String toldRev;

        private Question(JobId id) {
            this.id = id;
        }

        private boolean isForgotten() {
            listeners.removeIf(listener -> !listener.asks(id));
            return listeners.isEmpty();
        }

        /** The end that a node has shown is yet to come to a majority. Its tombstone may have been purged meanwhile. */
        private void answerUnknown(Snapshot unknown) {
            if (end == null || end.isUnknown()) {
                listeners.clear();
            } else if (end.state() == JobState.NOT_FOUND) {
                answer(unknown);
            }
        }

        /** A listener stays when it failed, or when the end that a node has shown is yet to come to a majority. */
        private void answer(Snapshot sure) {
            boolean isEndToCome = end != null && !sure.isEnd() && end.isLaterThan(sure);
            if (isEndToCome && sure.rev().equals(toldRev)) {
                return;
            }
            toldRev = sure.rev();
            listeners.removeIf(listener -> isTold(listener, sure) && !isEndToCome);
        }

        private boolean isTold(Listener listener, Snapshot sure) {
            try {
                listener.told(sure);
                return true;
            } catch (RuntimeException trouble) {
                log.debug("{} cannot be told now, and is told again: {}", id, trouble.toString());
                toldRev = null;
                return false;
            }
        }
    }

    private record Told(Asker asker, JobStore store) implements Listener {
        @Override
        public void told(Snapshot sure) {
            asker.confirmed(sure.id(), sure.job().map(store::withData));
        }

        @Override
        public boolean asks(JobId id) {
            return asker.asks(id);
        }
    }

    /** Each row of a list by keys is read by quorum. */
    private Map<String, Optional<Snapshot>> snapshots(List<String> docIds) {
        Map<String, Optional<Snapshot>> found = new HashMap<>();
        for (ViewResult.Row row : database.view(
                        ViewQuery.allDocs().keys(docIds).includeDocs(true).conflicts(true))
                .documentRows()) {
            JobId.fromDocId(row.key().asText()).ifPresent(id -> {
                if (row.doc() == null) {
                    gone(id).ifPresent(gone -> found.put(id.docId(), Optional.of(gone.confirmed())));
                } else {
                    note(id, row.doc(), found);
                }
            });
        }
        return found;
    }

    private void note(JobId id, ObjectNode document, Map<String, Optional<Snapshot>> found) {
        boolean hasConflicts = document.remove("_conflicts") != null;
        try {
            Job job = Job.parse(document);
            if (hasConflicts || job.isWithdrawn()) {
                store.look(id);
            } else {
                found.put(id.docId(), Optional.of(Snapshot.of(job).confirmed()));
            }
        } catch (MalformedJobException overwritten) {
            if (!hasConflicts) {
                found.put(id.docId(), Optional.empty());
            }
        }
    }

    /** A tombstone written by a resolution says that a leaf lost, not that the job is gone. */
    private Optional<Snapshot> gone(JobId id) {
        List<ObjectNode> leaves = database.leaves(id.docId());
        boolean isLive = leaves.stream().anyMatch(leaf -> !leaf.path("_deleted").asBoolean());
        Optional<ObjectNode> removal =
                leaves.stream().filter(leaf -> !Resolution.isOfLoser(leaf)).findFirst();
        if (isLive || (removal.isEmpty() && !leaves.isEmpty())) {
            store.look(id);
            return Optional.empty();
        }
        return Optional.of(Snapshot.gone(
                id, removal.map(leaf -> leaf.path("_rev").asText()).orElse("")));
    }
}
