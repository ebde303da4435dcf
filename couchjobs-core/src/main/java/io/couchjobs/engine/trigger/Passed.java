package io.couchjobs.engine.trigger;

import io.couchjobs.couch.ChangesFeed.Change;
import java.util.List;

/**
 * A part of the feed. The position moves only when all of it was read and is dealt with: a feed may break in the middle.
 *
 * @param changes those that concern the trigger
 * @param seq the position after all of them, or the last one before that
 * @param isAtPosition whether it is the position after all of them
 * @param isShort whether the feed ended before there were as many as are taken at once
 * @param rows how many there were
 * @param count how many of these are not positions of triggers: to store one is no reason to store the next
 */
record Passed(List<Change> changes, String seq, boolean isAtPosition, boolean isShort, int rows, int count) {}
