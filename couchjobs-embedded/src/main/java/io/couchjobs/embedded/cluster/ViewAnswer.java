package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.view.ViewResult;
import io.couchjobs.embedded.view.ViewRow;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a query of a view.
 *
 * @param total rows in the whole view, -1 when reduced
 * @param offset rows before the first one of the answer
 * @param error why there is none; null when there is
 */
public record ViewAnswer(
        long total,
        long offset,
        List<ViewRow> rows,
        @Nullable CouchError error) {
    public ViewAnswer {
        rows = List.copyOf(rows);
    }

    static ViewAnswer of(ViewResult result) {
        List<ViewRow> rows = new ArrayList<>();
        result.rows().forEachRemaining(rows::add);
        return new ViewAnswer(result.total(), result.offset(), rows, null);
    }

    static ViewAnswer refused(CouchError error) {
        return new ViewAnswer(0, 0, List.of(), error);
    }
}
