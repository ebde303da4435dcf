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

    private final JobWriter writer;
    private final MajorityReader reader;
    private final Lane lane;
    private final Alarm alarm;
    /** Whether the last reading came to nothing because no majority was in reach. Only the lane uses it. */
    private boolean cutOff;
    // From here on guarded by this object.
    private final Map<String, Question> questions = new LinkedHashMap<>();

    ConfirmedEnds(JobWriter writer, Conflicts conflicts) {
        this.writer = writer;
        this.reader = new MajorityReader(writer, conflicts);
        this.lane = writer.environment().lane("couchjobs-confirmed", 1);
        this.alarm = Alarm.immediate(lane, this::work);
    }

    /** Is told the state of a job. */
    public interface Listener {
        /**
         * The job as a majority of the copies has it, whether it has ended or not. When a node has shown an end that
         * the majority does not have yet, this is called again as soon as the majority has that end, or something
         * later.
         */
        void told(Snapshot sure);

        /** Whether the listener still wants to hear of the job. */
        boolean asks(JobId id);
    }

    /** Asks, once, whether there is more than one copy: where there is not, nothing needs to be confirmed. */
    public void prepare() {
        try {
            var unused = writer.copies().areSeveral();
        } catch (CouchException away) {
            log.debug("it is not known yet whether there are several copies: {}", away.toString());
        }
    }

    /**
     * Whether a job can be reported as it is: it has not ended, or there is one copy only, or this process itself was
     * told that a majority has this end. Otherwise it must be {@linkplain #ask asked} for.
     */
    public boolean isSure(Snapshot seen) {
        return !seen.isEnd()
                || seen.isConfirmed()
                || !writer.isDoubtful(seen.id().docId(), seen.rev());
    }

    /** Reads a job as the feed has reported it, such as its removal, until the state that a majority has is known. */
    public void ask(JobId id, Optional<Snapshot> seen, Listener listener) {
        seen.ifPresentOrElse(news -> ask(news, listener), () -> ask(id, listener));
    }

    /**
     * Reads a job that was seen, until the state that a majority has is known. It is not read when an answer tells this process
     * that a majority has the state seen.
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

    /** A write of this process was answered. */
    private synchronized void answered(String docId) {
        Question question = questions.get(docId);
        if (question != null) {
            question.dueNanos = nanos();
            plan();
        }
    }

    /**
     * Reads a job as soon as possible, and again until the state that a majority of the copies has is known. A listener is told
     * once, on a common thread, however often it asked; nothing when the document is no job.
     */
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
        readAll(docIds)
                .ifPresent(found ->
                        found.forEach((docId, snapshot) -> snapshot.ifPresent(sure -> known.put(docId, sure))));
        return known;
    }

    /**
     * Reads some jobs once.
     *
     * @return empty when no majority of the copies is in reach. Else by document id the jobs as a majority has them, without those whose
     *     state is unknown; a document that is no job has an entry without a value
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

    /** The question about one job. Guarded by the enclosing object, or owned by the lane while that works on it. */
    private final class Question {
        private final JobId id;
        private final Set<Listener> listeners = new LinkedHashSet<>(2);
        private final Backoff backoff = new Backoff(writer.environment(), SHORTEST_PAUSE, LONGEST_PAUSE);
        private long dueNanos;
        private @Nullable Snapshot seen;
        /**
         * The last end that a node has shown. The node's feed does not tell when a majority of the copies has it, too.
         */
        private @Nullable Snapshot end;

        /**
         * The revision that the listeners were told while no majority has that end yet; null when one of them could not be
         * told.
         */
        private @Nullable String toldRev;

        private Question(JobId id) {
            this.id = id;
        }

        private boolean isForgotten() {
            listeners.removeIf(listener -> !listener.asks(id));
            return listeners.isEmpty();
        }

        /**
         * Takes in that a majority has nothing of the job, not even a tombstone. If a node has shown a removal, the listeners are
         * told: its tombstone may have been purged meanwhile. If a node has shown another end, a majority does not have it yet.
         */
        private void answerUnknown(Snapshot unknown) {
            if (end == null || end.isUnknown()) {
                listeners.clear();
            } else if (end.phase() == JobPhase.NOT_FOUND) {
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
            } catch (RuntimeException | Error trouble) {
                log.debug("{} cannot be told now, and is told again: {}", id, trouble.toString());
                toldRev = null;
                return false;
            }
        }
    }
}
