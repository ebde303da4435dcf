package io.couchjobs.engine.trigger;

/** Tells what became of a job that a trigger wanted. */
sealed interface Outcome {
    /** A majority of the copies has a job that was made or changed. */
    record Made() implements Outcome {}

    /** The job of that change is there. */
    record Known() implements Outcome {}

    /** The job runs, or has conflicts: the change waits for the end of the run, or for those who resolve them. */
    record Waits() implements Outcome {}

    /** The queue has no room for a new job of that type. */
    record NoRoom() implements Outcome {}

    /**
     * It cannot be stored.
     *
     * @param reason why, in words
     * @param retryable whether that may change
     */
    record Failed(String reason, boolean retryable) implements Outcome {}
}
