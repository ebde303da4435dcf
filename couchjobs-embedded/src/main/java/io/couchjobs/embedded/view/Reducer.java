package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.protocol.CouchError;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A reduce function: a built-in one, or JavaScript. */
final class Reducer {
    /** Accumulates the rows of one group. Not thread-safe. */
    interface Total {
        void add(IndexRow row);

        JsonNode result();
    }

    private static final Map<String, Supplier<Total>> OWN = Map.of(
            "_count", Totals.Count::new,
            "_sum", Totals.Sum::new,
            "_stats", Stats::new,
            "_approx_count_distinct", Totals.Distinct::new);

    private final String source;
    private final Supplier<Total> totals;

    private Reducer(String source, Supplier<Total> totals) {
        this.source = source;
        this.totals = totals;
    }

    static Reducer of(String source, DesignDoc design) {
        return new Reducer(source, totals(source, design));
    }

    /** {@return whether this is a built-in function; as in CouchDB, text after the name is ignored} */
    static boolean isBuiltIn(String source) {
        return OWN.keySet().stream().anyMatch(source::startsWith);
    }

    private static Supplier<Total> totals(String source, DesignDoc design) {
        for (Map.Entry<String, Supplier<Total>> own : OWN.entrySet()) {
            if (source.startsWith(own.getKey())) {
                return own.getValue();
            }
        }
        if (source.startsWith("_")) {
            throw CouchError.badRequest("`" + source + "` is not a supported reduce function.");
        }
        Script script = new Script(design.id(), design.json(), List.of(source));
        return () -> new ScriptTotal(script);
    }

    boolean onlyCounts() {
        return source.startsWith("_count");
    }

    Total start() {
        return totals.get();
    }
}
