package io.couchjobs.embedded.view;

import java.util.Iterator;

/**
 * The answer to a query.
 *
 * @param total rows in the whole view, -1 when reduced
 * @param offset rows before the first one of the answer
 */
public record ViewResult(long total, long offset, Iterator<ViewRow> rows, long seq) {
    public boolean isReduced() {
        return total < 0;
    }
}
