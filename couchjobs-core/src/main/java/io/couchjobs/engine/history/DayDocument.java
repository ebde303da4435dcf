package io.couchjobs.engine.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.History;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The document of a day: its numbers by hour, and its marks. */
record DayDocument(ObjectNode document) {
    private static final int MOST_MARKS = 100;
    private static final String HOURS = "hours";
    private static final String REVS = "revs";
    private static final String MARKS = "marks";
    private static final String AT = "at";
    private static final String TEXT = "text";

    static DayDocument empty() {
        return new DayDocument(JsonNodeFactory.instance.objectNode());
    }

    /** {@return the numbers of an hour; empty while only the hour's own document has them} */
    Optional<Sums> hour(Instant hour) {
        JsonNode sums = document.path(HOURS).path(key(hour));
        return sums.isMissingNode() ? Optional.empty() : Optional.of(Sums.of(sums));
    }

    /** {@return whether this document has the numbers of an hour from this revision of the hour's own document} */
    boolean has(Instant hour, String rev) {
        return document.path(REVS).path(key(hour)).asText().equals(rev);
    }

    /** Sets the numbers of an hour, taken from this revision of the hour's own document. */
    void put(Instant hour, Sums sums, String rev) {
        document.withObject("/" + HOURS).set(key(hour), sums.toJson());
        document.withObject("/" + REVS).put(key(hour), rev);
    }

    List<History.Mark> marks() {
        return document.path(MARKS)
                .valueStream()
                .map(mark -> new History.Mark(
                        Instant.ofEpochMilli(mark.path(AT).asLong()),
                        mark.path(TEXT).asText()))
                .toList();
    }

    /** Adds a mark unless it is there already. */
    void add(History.Mark mark) {
        if (marks().contains(mark)) {
            return;
        }
        ArrayNode marks = document.withArray("/" + MARKS);
        marks.addObject().put(AT, mark.at().toEpochMilli()).put(TEXT, mark.text());
        while (marks.size() > MOST_MARKS) {
            marks.remove(0);
        }
    }

    private static String key(Instant hour) {
        return String.valueOf(HistoryIds.hourOfDay(hour));
    }
}
