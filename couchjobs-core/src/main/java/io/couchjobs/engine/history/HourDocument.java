package io.couchjobs.engine.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The document of an hour: its numbers by minute. It also names the last bucket of each worker that was added, so that no
 * bucket is added twice, and the process that has the turn to collect.
 */
record HourDocument(ObjectNode document) {
    /** How long a process has the turn after it collected. */
    static final Duration TURN = Duration.ofSeconds(150);

    private static final String SEEN = "seen";
    private static final String MINUTES = "minutes";
    private static final String BY = "by";
    private static final String AT = "at";

    static HourDocument empty() {
        return new HourDocument(JsonNodeFactory.instance.objectNode());
    }

    /**
     * Returns whether another process collected a moment ago. Clocks differ a little. A time far in the future comes from a
     * clock that was wrong.
     */
    boolean isTurnOfAnother(String collector, Instant now) {
        JsonNode by = document.path(BY);
        Instant at = Instant.ofEpochMilli(document.path(AT).asLong());
        boolean isFresh = Duration.between(at, now).abs().compareTo(TURN) < 0;
        return by.isTextual() && !by.asText().equals(collector) && isFresh;
    }

    void takeTurn(String collector, Instant now) {
        document.put(BY, collector).put(AT, now.toEpochMilli());
    }

    String rev() {
        return document.path("_rev").asText();
    }

    /** Adds the buckets of this hour that were not added before. */
    void merge(Collection<Bucket> buckets) {
        buckets.stream()
                .sorted(Comparator.comparingLong(Bucket::number))
                .filter(bucket -> !hasSeen(bucket))
                .forEach(this::add);
    }

    boolean hasSeen(Bucket bucket) {
        return document.path(SEEN).path(bucket.instance()).asLong() >= bucket.number();
    }

    private void add(Bucket bucket) {
        Sums sums = minute(bucket.minute());
        sums.add(bucket.sums());
        put(bucket.minute(), sums);
        document.withObject("/" + SEEN).put(bucket.instance(), bucket.number());
    }

    /** Sets how many jobs wait at a time of this hour. */
    void waiting(Instant now, Map<String, Long> jobsByType) {
        Sums sums = minute(now);
        sums.waiting(jobsByType);
        put(now, sums);
    }

    /** {@return the numbers of the minute that contains a time} */
    Sums minute(Instant time) {
        return Sums.of(document.path(MINUTES).path(key(time)));
    }

    /** {@return the numbers of the whole hour} */
    Sums total() {
        Sums total = new Sums();
        document.path(MINUTES).forEach(minute -> total.add(Sums.of(minute)));
        return total;
    }

    /** {@return the minutes that have numbers} */
    List<Instant> minutes(Instant hour) {
        return document.path(MINUTES).properties().stream()
                .map(minute -> hour.plus(Duration.ofMinutes(Integer.parseInt(minute.getKey()))))
                .toList();
    }

    private void put(Instant time, Sums sums) {
        document.withObject("/" + MINUTES).set(key(time), sums.toJson());
    }

    private static String key(Instant time) {
        return String.valueOf(HistoryIds.minuteOfHour(time));
    }
}
