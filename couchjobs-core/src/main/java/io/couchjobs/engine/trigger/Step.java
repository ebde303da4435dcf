package io.couchjobs.engine.trigger;

import io.couchjobs.trigger.SourceChange;
import java.util.List;
import java.util.Optional;

/**
 * The result of processing some changes of a database. Immutable.
 *
 * @param seq the position after these changes
 * @param jobs the number of jobs that were made or changed
 * @param owed all changes that still have to be processed although the position passes them, including earlier ones
 * @param warning a warning for the user
 */
record Step(
        String seq, int changes, int jobs, List<SourceChange> owed, List<Failure> failures, Optional<String> warning) {
    /** Returns a step without changes, which only moves the position. */
    static Step none(String seq, List<SourceChange> owed) {
        return new Step(seq, 0, 0, owed, List.of(), Optional.empty());
    }

    /** Returns a copy of this step with another position. */
    Step at(String position) {
        return new Step(position, changes, jobs, owed, failures, warning);
    }

    /** A change that failed, and why. */
    record Failure(SourceChange change, String reason, boolean retryable) {}
}
