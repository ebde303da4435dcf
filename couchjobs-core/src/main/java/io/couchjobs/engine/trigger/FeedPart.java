package io.couchjobs.engine.trigger;

import io.couchjobs.couch.ChangesFeed.Change;
import java.util.List;

/**
 * Rows of a feed that are dealt with together. The position moves when all of them were read and are dealt with, as a feed may break in the
 * middle.
 *
 * @param changes the changes that concern the trigger
 * @param seq the position after all rows, or the last known position before that
 * @param isAtPosition whether {@code seq} is the position after all rows
 * @param isShort whether the feed ended before there were as many changes as are taken at once
 * @param rows how many rows there were
 * @param count how many rows are not positions of triggers: that a position was stored is no reason to store the next one
 */
record FeedPart(List<Change> changes, String seq, boolean isAtPosition, boolean isShort, int rows, int count) {
    /** No rows after a position. */
    static FeedPart none(String seq) {
        return new FeedPart(List.of(), seq, true, false, 0, 0);
    }
}
