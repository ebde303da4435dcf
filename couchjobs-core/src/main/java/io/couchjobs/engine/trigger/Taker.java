package io.couchjobs.engine.trigger;

import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.trigger.SourceChange;
import java.time.Duration;
import java.util.List;

/** Deals with the changes of a database. Used by one thread at a time. */
interface Taker {
    /** Narrows a request for all changes to the changes that matter. */
    ChangesRequest request(ChangesRequest all);

    /** Whether the position of each change has to be known. Each costs the server more than to read the change. */
    default boolean needsEachPosition() {
        return false;
    }

    /** Whether a row of the feed is a change that has to be dealt with. */
    default boolean concerns(Position position, Change change) {
        return true;
    }

    /** How many changes are taken at once, and how long the first one waits for others while the feed brings none. */
    default Size size() {
        return Size.USUAL;
    }

    /** Whether {@link #take} only makes changes owed, so that {@link #takeOwed} follows at once. */
    default boolean owesFirst() {
        return false;
    }

    /**
     * Deals with changes.
     *
     * @param changes at least one, in the order of the feed
     * @return what became of these changes, or of the first few if the others have to wait
     */
    Step take(Position position, List<Change> changes);

    /** Deals with changes that waited. Those that still have to wait are owed by the step that is returned. */
    default Step takeOwed(Position position, List<SourceChange> owed) {
        throw new IllegalStateException("nothing is ever owed here");
    }

    /** How many changes are taken at once. */
    record Size(int most, Duration patience) {
        static final Size USUAL = new Size(4000, Duration.ZERO);
    }
}
