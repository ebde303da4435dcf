package io.couchjobs.engine.history;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.settings.QueueParts;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Sums up the hours that are over, in the documents of their days, and deletes documents that are too old. Thread-safe; any
 * number of processes may do so at the same time.
 */
public final class HistoryKeeper {
    /** A worker's document is deleted after this time without a run. The worker writes a new one with its next run. */
    private static final Duration KEEP_WORKERS = Duration.ofHours(1);

    private final HistoryStore store;
    private final InstantSource clock;

    /** Creates a keeper. Does no I/O. */
    public HistoryKeeper(QueueParts parts) {
        this.store = new HistoryStore(parts.store());
        this.clock = parts.clock();
    }

    /** Sums up hours and deletes old documents, once. */
    public void tidy() {
        Instant now = clock.instant();
        List<ObjectNode> workers = store.workers();
        store.merge(
                workers.stream().flatMap(worker -> Bucket.of(worker).stream()).toList(), now);
        store.delete(silent(workers, now));
        Map<String, String> revs = store.list();
        sumUp(closedHours(revs, now));
        store.delete(tooOld(revs, now));
        store.delete(unused(revs.keySet(), now));
    }

    private static Map<String, String> silent(Collection<ObjectNode> workers, Instant now) {
        Map<String, String> silent = new HashMap<>();
        for (ObjectNode worker : workers) {
            Instant last = Bucket.of(worker).stream()
                    .map(Bucket::minute)
                    .max(Comparator.naturalOrder())
                    .orElse(Instant.EPOCH);
            if (last.isBefore(now.minus(KEEP_WORKERS))) {
                silent.put(worker.path("_id").asText(), worker.path("_rev").asText());
            }
        }
        return silent;
    }

    /** {@return the revisions of the documents of the hours that are over} */
    private Map<Instant, String> closedHours(Map<String, String> revs, Instant now) {
        Map<Instant, String> closed = new HashMap<>();
        revs.forEach((docId, rev) -> store.ids()
                .hourOf(docId)
                .filter(hour -> HistoryStore.isClosed(hour, now))
                .ifPresent(hour -> closed.put(hour, rev)));
        return closed;
    }

    /** Sums up hours. An hour to which buckets were added since it was summed up is summed up again. */
    private void sumUp(Map<Instant, String> closed) {
        Map<Instant, DayDocument> days = store.days(closed.keySet());
        List<Instant> open = closed.entrySet().stream()
                .filter(hour -> !days.getOrDefault(HistoryIds.startOfDay(hour.getKey()), DayDocument.empty())
                        .has(hour.getKey(), hour.getValue()))
                .map(Map.Entry::getKey)
                .toList();
        store.hours(open).forEach(store::sumUp);
    }

    private Map<String, String> tooOld(Map<String, String> revs, Instant now) {
        Map<String, String> old = new HashMap<>();
        revs.forEach((docId, rev) -> {
            boolean isOldHour = isBefore(store.ids().hourOf(docId), now.minus(HistoryStore.KEEP_HOURS));
            boolean isOldDay = isBefore(store.ids().dayOf(docId), now.minus(HistoryStore.KEEP_DAYS));
            if (isOldHour || isOldDay) {
                old.put(docId, rev);
            }
        });
        return old;
    }

    /**
     * Returns the documents of alarms whose rules no process has used for long. The name of such a document is derived from
     * its rules.
     */
    private Map<String, String> unused(Collection<String> docIds, Instant now) {
        Map<String, String> unused = new HashMap<>();
        List<String> alarms =
                docIds.stream().filter(docId -> docId.startsWith(DocIds.ALARM)).toList();
        store.readEach(alarms).forEach((docId, alarm) -> {
            Instant looked = Instant.ofEpochMilli(alarm.path("at").asLong());
            if (looked.isBefore(now.minus(HistoryStore.KEEP_DAYS))) {
                unused.put(docId, alarm.path("_rev").asText());
            }
        });
        return unused;
    }

    private static boolean isBefore(Optional<Instant> time, Instant limit) {
        return time.filter(limit::isAfter).isPresent();
    }
}
