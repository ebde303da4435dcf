package io.couchjobs.embedded.view;

import java.util.Iterator;

/**
 * The result of a query.
 *
 * @param total the number of rows in the view; -1 if reduced
 * @param offset the number of rows before the first row of the result
 */
public record ViewResult(long total, long offset, Iterator<ViewRow> rows, long seq) {
    public boolean isReduced() {
        return total < 0;
    }
}
