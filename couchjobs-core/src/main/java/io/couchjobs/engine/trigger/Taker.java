package io.couchjobs.engine.trigger;

import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.trigger.SourceChange;
import java.time.Duration;
import java.util.List;

/** Processes the changes of a database. Used by one thread at a time. */
interface Taker {
    /** Narrows a request for all changes to the changes that this taker needs. */
    ChangesRequest request(ChangesRequest all);

    /**
     * Returns whether the position of each change must be known. Computing a position costs the server more than reading the
     * change.
     */
    default boolean needsEachPosition() {
        return false;
    }

    /** Returns whether a row of the feed is a change to process. */
    default boolean concerns(Position position, Change change) {
        return true;
    }

    /** Returns the maximum number of changes taken at once, and how long the first change waits for further changes. */
    default Size size() {
        return Size.USUAL;
    }

    /** Returns whether {@link #take} only adds the changes to the owed ones, so that {@link #takeOwed} must follow at once. */
    default boolean owesFirst() {
        return false;
    }

    /**
     * Processes changes.
     *
     * @param changes at least one change, in the order of the feed
     * @return the result for these changes, or for the first of them if the others have to wait
     */
    Step take(Position position, List<Change> changes);

    /** Processes owed changes. The returned step owes the changes that still have to wait. */
    default Step takeOwed(Position position, List<SourceChange> owed) {
        throw new IllegalStateException("nothing is ever owed here");
    }

    /** The maximum number of changes taken at once, and how long the first change waits for further changes. */
    record Size(int most, Duration patience) {
        static final Size USUAL = new Size(4000, Duration.ZERO);
    }
}
