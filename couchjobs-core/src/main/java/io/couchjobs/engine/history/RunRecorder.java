package io.couchjobs.engine.history;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.time.Alarm;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.worker.RunReport;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the runs of one worker by minute. A few seconds after a minute with runs, it writes the last ten minutes with runs
 * into the document {@code stats:worker:ID}. A worker that runs nothing writes nothing. The worker's very first runs are
 * written after a few seconds, because a user who tries couchjobs looks at once. Thread-safe.
 */
final class RunRecorder implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RunRecorder.class);
    private static final int MOST_MINUTES = 10;
    private static final int MOST_TRIES = 2;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration FIRST = Duration.ofSeconds(5);
    private static final Duration PARTING = Duration.ofSeconds(5);
    /** The time over which writes after a minute are spread. Collectors begin {@link Collector#AFTER_THE_MINUTE} after it. */
    private static final Duration SPREAD = Duration.ofSeconds(10);

    private final HistoryStore store;
    private final InstantSource clock;
    private final Environment environment;
    private final String instance;
    private final ObjectNode document;
    private final Lane lane;
    private final Alarm writing;
    private final Deque<Bucket> over = new ArrayDeque<>();
    private @Nullable Bucket present;
    private long number;
    private boolean isUnwritten;

    RunRecorder(QueueParts parts, HistoryStore store, String worker) {
        this.store = store;
        this.clock = parts.clock();
        this.environment = parts.store().environment();
        this.instance = environment.uuid().toString();
        this.document = JsonNodeFactory.instance.objectNode().put("_id", HistoryIds.worker(worker));
        String site = parts.store().site().name();
        if (site != null) {
            document.put("site", site);
        }
        this.lane = environment.lane("couchjobs-history-" + worker, 1);
        this.writing = new Alarm(lane, this::writeUnlessClosed);
    }

    void ended(RunReport run) {
        if (TypeSums.counts(run.outcome()) && count(run)) {
            planWriting();
        }
    }

    /** Counts a run. Returns whether it is the first one of a minute. */
    private synchronized boolean count(RunReport run) {
        Instant minute = minute();
        boolean isFirst = present == null || !present.minute().equals(minute);
        if (present == null || isFirst) {
            endMinute();
            number++;
            present = new Bucket(instance, number, minute, new Sums());
        }
        present.sums().add(run);
        return isFirst;
    }

    private void planWriting() {
        if (isFirst()) {
            writing.within(FIRST);
            return;
        }
        Duration left = Duration.between(clock.instant(), minute().plus(MINUTE));
        writing.within(left.plusMillis(1 + environment.random().nextLong(SPREAD.toMillis())));
    }

    private synchronized boolean isFirst() {
        return present != null && present.number() == 1;
    }

    private synchronized void endMinute() {
        if (present != null) {
            over.add(present);
            present = null;
            isUnwritten = true;
        }
        while (over.size() > MOST_MINUTES) {
            over.remove();
        }
    }

    private void writeUnlessClosed() {
        try {
            write();
        } catch (RuntimeException | Error later) {
            log.debug("what was run is not written into the history yet: {}", later.toString());
        }
        synchronized (this) {
            if (present == null && !isUnwritten) {
                return;
            }
        }
        planWriting();
    }

    /** Writes the minutes that are over, unless all of them have been written. */
    void write() {
        if (takeUnwritten()) {
            boolean stored = false;
            try {
                for (int tries = 0; !stored && tries < MOST_TRIES; tries++) {
                    stored = isStored();
                }
            } finally {
                keepUnless(stored);
            }
        }
    }

    private synchronized boolean takeUnwritten() {
        if (present != null && (isFirst() || present.minute().isBefore(minute()))) {
            endMinute();
        }
        boolean isSomething = isUnwritten;
        isUnwritten = false;
        return isSomething;
    }

    private synchronized void keepUnless(boolean stored) {
        isUnwritten |= !stored;
    }

    /**
     * Returns whether the minutes were stored. A conflict comes from an earlier write whose answer was lost, an earlier
     * worker of this id, or a deletion by a sweep.
     */
    private boolean isStored() {
        Bucket.put(document, instance, buckets());
        WriteResult written = WriteRefusedException.check(store.database().put(document));
        if (written instanceof WriteResult.Stored stored) {
            document.put("_rev", stored.rev());
            return true;
        }
        store.database()
                .get(document.path("_id").asText())
                .ifPresentOrElse(this::replace, () -> document.remove("_rev"));
        return false;
    }

    /**
     * Prepares to replace a stored document. The minutes of an earlier worker may not have been collected, so they are
     * added to their hours first. Minutes that were collected already count once.
     */
    private void replace(ObjectNode there) {
        List<Bucket> earlier = Bucket.of(there).stream()
                .filter(bucket -> !bucket.instance().equals(instance))
                .toList();
        store.merge(earlier, clock.instant());
        document.set("_rev", there.get("_rev"));
    }

    private synchronized List<Bucket> buckets() {
        return List.copyOf(over);
    }

    /** Plans no more writes, and waits a few seconds for a write in progress. */
    void stop() throws InterruptedException {
        lane.close();
        boolean unused = lane.awaitEnd(PARTING);
    }

    /**
     * Writes all minutes, including the present one, because the worker runs nothing any more. Does not wait long for a
     * silent server.
     */
    @Override
    public void close() {
        lane.execute(this::handOverAll);
        lane.finish();
        try {
            if (!lane.awaitEnd(PARTING)) {
                log.debug("the last minutes are missing in the history: the server does not answer");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lane.close();
    }

    private void handOverAll() {
        endMinute();
        if (!buckets().isEmpty()) {
            handOver();
        }
    }

    private void handOver() {
        try {
            mergeAll();
        } catch (CouchUnreachableException | IllegalStateException away) { // or the queue was closed first
            log.debug("the last minutes are missing in the history: {}", away.toString());
        } catch (CouchJobsException contended) {
            leaveToOthers();
        }
    }

    private void mergeAll() {
        store.merge(buckets(), clock.instant());
        forgetMerged();
        if (document.has("_rev")) {
            document.put("_deleted", true);
            var unused = store.database().put(document);
        }
    }

    private synchronized void forgetMerged() {
        over.clear();
    }

    private void leaveToOthers() {
        try {
            write();
        } catch (RuntimeException missing) {
            log.debug("the last minutes are missing in the history: {}", missing.toString());
        }
    }

    private Instant minute() {
        return clock.instant().truncatedTo(ChronoUnit.MINUTES);
    }
}
