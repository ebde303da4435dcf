package io.couchjobs.engine.gc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The positions of the feed at certain times. Tombstones carry no date, but a document that has not changed since a mark is
 * older than the mark. Thread-safe.
 *
 * <p>The marks are in a {@code _local} document, which is not replicated: a position has a meaning in this database only.
 */
public final class Marks {
    static final String DOC_ID = "_local/couchjobs-gc";

    private static final int MOST = 50;
    private static final String MARKS = "marks";

    private final CouchDatabase database;
    private final InstantSource clock;

    Marks(CouchDatabase database, InstantSource clock) {
        this.database = database;
        this.clock = clock;
    }

    /** {@return the newest known position of the feed at or before a time} */
    Optional<String> before(Instant time) {
        Optional<String> newest = Optional.empty();
        for (JsonNode mark : read().path(MARKS)) {
            if (mark.path("at").asLong(Long.MAX_VALUE) <= time.toEpochMilli()) {
                newest = Optional.of(mark.path("seq").asText());
            }
        }
        return newest;
    }

    /** Stores the present position of the feed. When several processes do so at the same moment, one mark is enough. */
    void add() {
        String seq = database.currentSeq();
        long at = clock.instant().toEpochMilli();
        ObjectNode document = read();
        ArrayNode marks = JsonNodeFactory.instance.arrayNode();
        for (JsonNode mark : document.path(MARKS)) {
            if (mark.path("at").asLong(Long.MAX_VALUE) < at) {
                marks.add(mark);
            }
        }
        marks.addObject().put("seq", seq).put("at", at);
        thinOut(marks, at);
        document.set(MARKS, marks);
        database.put(document);
    }

    /**
     * Removes marks, so that older marks are further apart. Removes first the mark whose neighbours are the closest to each
     * other, compared with its age.
     */
    private static void thinOut(ArrayNode marks, long now) {
        while (marks.size() > MOST) {
            int least = IntStream.range(1, marks.size() - 1)
                    .boxed()
                    .min(Comparator.comparingDouble(i -> gapWithout(marks, i) / (double) (now - at(marks, i))))
                    .orElseThrow();
            marks.remove(least);
        }
    }

    private static long gapWithout(ArrayNode marks, int index) {
        return at(marks, index + 1) - at(marks, index - 1);
    }

    private static long at(ArrayNode marks, int index) {
        return marks.path(index).path("at").asLong();
    }

    private ObjectNode read() {
        return database.get(DOC_ID)
                .orElseGet(() -> JsonNodeFactory.instance.objectNode().put("_id", DOC_ID));
    }
}
