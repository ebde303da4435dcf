package io.couchjobs.engine.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;

/**
 * The runs of one worker in one minute.
 *
 * @param instance the id of one start of the worker
 * @param number the bucket's number within the instance; it grows with each bucket, whatever the clock does
 */
record Bucket(String instance, long number, Instant minute, Sums sums) {
    private static final String INSTANCE = "instance";
    private static final String MINUTES = "minutes";
    private static final String NUMBER = "number";
    private static final String AT = "at";
    private static final String TYPES = "types";

    /** {@return the buckets in a worker's document} */
    static List<Bucket> of(JsonNode document) {
        String instance = document.path(INSTANCE).asText();
        return document.path(MINUTES)
                .valueStream()
                .map(minute -> new Bucket(
                        instance,
                        minute.path(NUMBER).asLong(),
                        Instant.ofEpochMilli(minute.path(AT).asLong()),
                        Sums.of(minute.path(TYPES))))
                .toList();
    }

    /** Writes the buckets of an instance into its document. */
    static void put(ObjectNode document, String instance, List<Bucket> buckets) {
        document.put(INSTANCE, instance);
        var minutes = document.putArray(MINUTES);
        buckets.forEach(bucket -> minutes.add(bucket.toJson()));
    }

    private ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put(NUMBER, number).put(AT, minute.toEpochMilli()).set(TYPES, sums.toJson());
        return json;
    }
}
