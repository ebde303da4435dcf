package io.couchjobs.engine.store;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.time.Alarm;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the state that a majority of the copies has of jobs that seem to have ended or to be gone. A node may show an end
 * that no majority has and that is undone later; listeners are not notified of such an end. Thread-safe.
 *
 * <p>Jobs are read in batches, each batch between two {@linkplain MajorityProbe probes}. The state of a job is undecided
 * while it has conflicts, or only tombstones of losing leaves. Such a job is read again a little later, and its conflict is
 * resolved meanwhile. Each job has its own backoff, so that an undecided job does not delay other jobs. Without several
 * copies there are no probes.
 *
 * <p>A removal leaves a tombstone. If a majority has no trace of a job, a minority may still have it. Callers that have seen
 * the job are then not notified; the feed reports the job when its copy has it.
 */
public final class ConfirmedEnds implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ConfirmedEnds.class);
    private static final int BATCH = 100;
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(3);
    private static final long SHORTEST_WAIT = Duration.ofMillis(1).toNanos();
    /** How long to wait for the answer to a write of this process; the feed may report the write before the answer comes. */
    private static final Duration OWN_ANSWER = Duration.ofSeconds(1);

    private final JobWriter writer;
    private final MajorityReader reader;
    private final Lane lane;
    private final Alarm alarm;
    /** Whether the last read failed because no majority was reachable. Only the lane uses this field. */
    private boolean cutOff;
    // The fields below are guarded by this object.
    private final Map<String, Question> questions = new LinkedHashMap<>();

    ConfirmedEnds(JobWriter writer, Conflicts conflicts) {
        this.writer = writer;
        this.reader = new MajorityReader(writer, conflicts);
        this.lane = writer.environment().lane("couchjobs-confirmed", 1);
        this.alarm = Alarm.immediate(lane, this::work);
    }

    /** Receives the state of a job. */
    public interface Listener {
        /**
         * Receives a job in the state that a majority of the copies has, whether the job has ended or not. If a node has
         * shown an end that the majority does not have yet, this method is called again as soon as the majority has that end
         * or a later state.
         */
        void told(Snapshot sure);

        /** Returns whether the listener is still interested in the job. */
        boolean asks(JobId id);
    }

    /** Determines once whether there are several copies. If there is only one, nothing needs to be confirmed. */
    public void prepare() {
        try {
            var unused = writer.copies().areSeveral();
        } catch (CouchException away) {
            log.debug("it is not known yet whether there are several copies: {}", away.toString());
        }
    }

    /**
     * Returns whether a job can be reported as it was seen: it has not ended, or there is only one copy, or this process
     * knows that a majority has this end. Otherwise the caller must {@linkplain #ask ask} for the job.
     */
    public boolean isSure(Snapshot seen) {
        return !seen.isEnd()
                || seen.isConfirmed()
                || !writer.isDoubtful(seen.id().docId(), seen.rev());
    }

    /** Reads a job that the feed has reported, possibly as removed, until the state that a majority has is known. */
    public void ask(JobId id, Optional<Snapshot> seen, Listener listener) {
        seen.ifPresentOrElse(news -> ask(news, listener), () -> ask(id, listener));
    }

    /**
     * Reads a job that was seen, until the state that a majority has is known. The read is not necessary if the answer to a
     * write of this process shows that a majority has the state that was seen.
     */
    public synchronized void ask(Snapshot seen, Listener listener) {
        Question question = question(seen.id(), listener);
        question.seen = seen;
        question.end = seen.isEnd() ? seen : question.end;
        String docId = seen.id().docId();
        Optional<CompletableFuture<Void>> own = writer.ownWrites().underWay(docId);
        question.dueNanos = nanos() + (own.isPresent() ? OWN_ANSWER.toNanos() : 0);
        plan();
        own.ifPresent(answer -> {
            var unused = answer.thenRun(() -> answered(docId));
        });
    }

    /** Makes a job due immediately, because a write of this process was answered. */
    private synchronized void answered(String docId) {
        Question question = questions.get(docId);
        if (question != null) {
            question.dueNanos = nanos();
            plan();
        }
    }

    /**
     * Reads a job as soon as possible, and again until the state that a majority of the copies has is known. A listener is
     * notified once, on a shared thread, however often it asked. It is not notified if the document is not a job.
     */
    public synchronized void ask(JobId id, Listener listener) {
        Question question = question(id, listener);
        question.seen = null;
        question.dueNanos = nanos(); // the job has changed
        plan();
    }

    /**
     * Reads jobs once, for a caller that has not seen them.
     *
     * @return by document id, the jobs in the state that a majority has; without jobs whose state is unknown, and without
     *     documents that are not jobs
     */
    public Map<String, Snapshot> read(List<String> docIds) {
        Map<String, Snapshot> known = new HashMap<>();
        readAll(docIds)
                .ifPresent(found ->
                        found.forEach((docId, snapshot) -> snapshot.ifPresent(sure -> known.put(docId, sure))));
        return known;
    }

    /**
     * Reads some jobs once.
     *
     * @return by document id, the jobs in the state that a majority has, without jobs whose state is unknown. A document that
     *     is not a job has an entry without a value. Empty when no majority of the copies is reachable
     */
    public Optional<Map<String, Optional<Snapshot>>> readAll(List<String> docIds) {
        return reader.read(docIds);
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

    private long nanos() {
        return writer.environment().nanos();
    }

    private synchronized void plan() {
        long now = nanos();
        questions.values().stream()
                .mapToLong(question -> question.dueNanos - now)
                .min()
                .ifPresent(next -> alarm.within(Duration.ofNanos(
                        next <= 0 ? 0 : Math.max(SHORTEST_WAIT, next)))); // a clock may be coarser than a nanosecond
    }

    private void work() {
        Map<String, Question> batch = next();
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
        Optional<Map<String, Optional<Snapshot>>> found = reader.read(List.copyOf(batch.keySet()));
        if (found.isEmpty() && !cutOff) {
            log.warn(
                    "no majority of the copies is in reach: until one is, no job is told as ended; {} jobs seem to have ended",
                    batch.size());
        }
        cutOff = found.isEmpty();
        found.ifPresent(known -> {
            boolean isGoneWithDatabase =
                    known.values().stream().flatMap(Optional::stream).anyMatch(Snapshot::isUnknown)
                            && writer.copies().isMadeAnew();
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
            // The document is not a job any more, so it has no end. The feed reports when it is a job again.
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

    private synchronized Map<String, Question> next() {
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

    /** The open question about one job. Guarded by the enclosing object, or confined to the lane while the lane processes it. */
    private final class Question {
        private final JobId id;
        private final Set<Listener> listeners = new LinkedHashSet<>(2);
        private final Backoff backoff = new Backoff(writer.environment(), SHORTEST_PAUSE, LONGEST_PAUSE);
        private long dueNanos;
        private @Nullable Snapshot seen;
        /** The last end that a node has shown. The feed does not report when a majority of the copies has that end, too. */
        private @Nullable Snapshot end;

        /** The revision of the last notification while the majority does not have the end yet; null if a listener failed. */
        private @Nullable String toldRev;

        private Question(JobId id) {
            this.id = id;
        }

        private boolean isForgotten() {
            listeners.removeIf(listener -> !listener.asks(id));
            return listeners.isEmpty();
        }

        /**
         * Handles an answer that a majority has no trace of the job, not even a tombstone. If a node has shown a removal, the
         * listeners are notified, because the tombstone may have been purged meanwhile. If a node has shown another end, the
         * majority does not have that end yet.
         */
        private void answerUnknown(Snapshot unknown) {
            if (end == null || end.isUnknown()) {
                listeners.clear();
            } else if (end.phase() == JobPhase.NOT_FOUND) {
                answer(unknown);
            }
        }

        /**
         * Notifies the listeners. A listener stays if it failed, or if the majority does not have the end yet that a node has
         * shown.
         */
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
            } catch (RuntimeException | Error trouble) {
                log.debug("{} cannot be told now, and is told again: {}", id, trouble.toString());
                toldRev = null;
                return false;
            }
        }
    }
}
