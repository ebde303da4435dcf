package io.couchjobs.engine.history;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.History;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.Tombstone;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.SharedDocuments;
import io.couchjobs.job.Site;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Reads and writes the documents of a site's history. Thread-safe. */
final class HistoryStore {
    /** How long after its end an hour is summed up in the document of its day. */
    static final Duration CLOSED_AFTER = Duration.ofMinutes(70);

    static final Duration KEEP_HOURS = Duration.ofDays(2);
    static final Duration KEEP_DAYS = Duration.ofDays(400);
    /** Older buckets are not added any more, because the document of their hour may be deleted soon. */
    private static final Duration LATEST = Duration.ofDays(1);

    private final CouchDatabase database;
    private final SharedDocuments documents;
    private final Site site;
    private final HistoryIds ids;

    HistoryStore(JobStore store) {
        this.database = store.database();
        this.documents = new SharedDocuments(database);
        this.site = store.site();
        this.ids = new HistoryIds(site);
    }

    HistoryIds ids() {
        return ids;
    }

    CouchDatabase database() {
        return database;
    }

    /** {@return the documents of this site's workers, with buckets that may not have been collected} */
    List<ObjectNode> workers() {
        return documents.readAll(HistoryIds.WORKERS).stream()
                .filter(document -> site.wrote(document.path("site").asText()))
                .toList();
    }

    List<Bucket> buckets() {
        return workers().stream()
                .flatMap(document -> Bucket.of(document).stream())
                .toList();
    }

    HourDocument hour(Instant time) {
        return documents.read(ids.hour(time)).map(HourDocument::new).orElseGet(HourDocument::empty);
    }

    /** {@return the documents of these hours that exist, by the start of the hour} */
    Map<Instant, HourDocument> hours(Collection<Instant> hours) {
        Map<Instant, HourDocument> found = new TreeMap<>();
        documents.readEach(hours.stream().map(ids::hour).toList()).forEach((docId, document) -> ids.hourOf(docId)
                .ifPresent(hour -> found.put(hour, new HourDocument(document))));
        return found;
    }

    /** {@return the documents of these days that exist, by the start of the day} */
    Map<Instant, DayDocument> days(Collection<Instant> days) {
        Map<Instant, DayDocument> found = new TreeMap<>();
        documents.readEach(days.stream().map(ids::day).distinct().toList()).forEach((docId, document) -> ids.dayOf(
                        docId)
                .ifPresent(day -> found.put(day, new DayDocument(document))));
        return found;
    }

    void changeHour(Instant time, Consumer<HourDocument> change) {
        documents.change(ids.hour(time), document -> {
            change.accept(new HourDocument(document));
            return document;
        });
    }

    void mark(History.Mark mark) {
        changeDay(mark.at(), day -> day.add(mark));
    }

    /** Adds buckets to the documents of their hours, except those that were added before. */
    void merge(Collection<Bucket> buckets, Instant now) {
        Map<Instant, List<Bucket>> byHour = buckets.stream()
                .filter(bucket -> bucket.minute().isAfter(now.minus(LATEST)))
                .collect(Collectors.groupingBy(bucket -> HistoryIds.startOfHour(bucket.minute())));
        byHour.forEach((hour, ofHour) -> {
            changeHour(hour, document -> document.merge(ofHour));
            if (isClosed(hour, now)) {
                sumUp(hour, hour(hour));
            }
        });
    }

    static boolean isClosed(Instant hour, Instant now) {
        return !hour.plus(Duration.ofHours(1)).plus(CLOSED_AFTER).isAfter(now);
    }

    /** Sets the numbers of an hour in the document of its day. */
    void sumUp(Instant hour, HourDocument document) {
        Sums total = document.total();
        changeDay(hour, day -> day.put(hour, total, document.rev()));
    }

    /** {@return the revisions of the documents of days, hours and alarms, by id, including those of other sites} */
    Map<String, String> list() {
        ViewResult rows = database.view(ViewQuery.allDocs()
                .startKey(DocIds.STATS)
                .endKey(HistoryIds.WORKERS)
                .inclusiveEnd(false));
        Map<String, String> revs = new HashMap<>();
        for (ViewResult.Row row : rows.rows()) {
            revs.put(row.key().asText(), row.value().path("rev").asText());
        }
        return revs;
    }

    Map<String, ObjectNode> readEach(List<String> docIds) {
        return documents.readEach(docIds);
    }

    /** Deletes documents on these revisions. A document that has changed since stays. */
    void delete(Map<String, String> revs) {
        if (!revs.isEmpty()) {
            List<ObjectNode> tombstones = revs.entrySet().stream()
                    .map(row -> Tombstone.of(row.getKey(), row.getValue()))
                    .toList();
            var unused = database.bulkDocs(tombstones);
        }
    }

    private void changeDay(Instant time, Consumer<DayDocument> change) {
        documents.change(ids.day(time), document -> {
            change.accept(new DayDocument(document));
            return document;
        });
    }
}
