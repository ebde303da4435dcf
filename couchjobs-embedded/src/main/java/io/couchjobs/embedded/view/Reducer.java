package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.protocol.CouchError;
import java.util.List;
import java.util.function.Supplier;

/** A reduce function: one of the server's own, or JavaScript. */
final class Reducer {
    /** The rows of one group, as they come. Not thread-safe. */
    interface Total {
        void add(IndexRow row);

        JsonNode result();
    }

    private final String source;
    private final Supplier<Total> totals;

    private Reducer(String source, Supplier<Total> totals) {
        this.source = source;
        this.totals = totals;
    }

    static Reducer of(String source, DesignDoc design) {
        return new Reducer(source, totals(source, design));
    }

    private static Supplier<Total> totals(String source, DesignDoc design) {
        return switch (source) {
            case "_count" -> Totals.Count::new;
            case "_sum" -> Totals.Sum::new;
            case "_stats" -> Totals.Stats::new;
            case "_approx_count_distinct" -> Totals.Distinct::new;
            default -> {
                if (source.startsWith("_")) {
                    throw CouchError.badRequest("`" + source + "` is not a supported reduce function.");
                }
                Script script = new Script(design.id(), design.json(), List.of(source));
                yield () -> new ScriptTotal(script);
            }
        };
    }

    boolean onlyCounts() {
        return source.equals("_count");
    }

    Total start() {
        return totals.get();
    }
}
