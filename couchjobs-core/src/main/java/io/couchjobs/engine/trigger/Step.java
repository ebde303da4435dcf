package io.couchjobs.engine.trigger;

import io.couchjobs.trigger.SourceChange;
import java.util.List;
import java.util.Optional;

/**
 * The outcome of some changes of a database. Immutable.
 *
 * @param seq the position after them
 * @param jobs how many jobs were made or changed
 * @param owed the changes that wait, with those that waited before
 * @param warning what a person should know
 */
record Step(
        String seq, int changes, int jobs, List<SourceChange> owed, List<Failure> failures, Optional<String> warning) {
    /** No change: only the position moves. */
    static Step none(String seq, List<SourceChange> owed) {
        return new Step(seq, 0, 0, owed, List.of(), Optional.empty());
    }

    /** The same, with another position after it. */
    Step at(String position) {
        return new Step(position, changes, jobs, owed, failures, warning);
    }

    /** A change that failed, and why. */
    record Failure(SourceChange change, String reason, boolean retryable) {}
}
