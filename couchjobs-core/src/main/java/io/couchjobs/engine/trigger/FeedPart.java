package io.couchjobs.engine.trigger;

import io.couchjobs.couch.ChangesFeed.Change;
import java.util.List;

/**
 * Rows of a feed that are processed together. A feed may break in the middle, so the position moves only after all rows were read
 * and processed.
 *
 * @param changes the changes that concern the trigger
 * @param seq the position after all rows, or the last known position before that
 * @param isAtPosition whether {@code seq} is the position after all rows
 * @param isShort whether the feed ended before the batch was full
 * @param rows the number of rows
 * @param count the number of rows that are not positions of triggers. A stored position must not itself cause the next position to
 *     be stored
 */
record FeedPart(List<Change> changes, String seq, boolean isAtPosition, boolean isShort, int rows, int count) {
    /** Returns a part without rows, after a position. */
    static FeedPart none(String seq) {
        return new FeedPart(List.of(), seq, true, false, 0, 0);
    }
}
