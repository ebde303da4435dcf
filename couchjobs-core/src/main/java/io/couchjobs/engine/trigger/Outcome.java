package io.couchjobs.engine.trigger;

/** The outcome of a job that a trigger wanted. */
sealed interface Outcome {
    /** The job was made or changed, and a majority of the copies has it. */
    record Made() implements Outcome {}

    /** The job of the change already exists. */
    record Known() implements Outcome {}

    /** The job runs or has conflicts. The change waits until the run ends or the conflicts are resolved. */
    record Waits() implements Outcome {}

    /** The queue has no room for a new job of this type. */
    record NoRoom() implements Outcome {}

    /**
     * The job cannot be stored.
     *
     * @param reason why the job cannot be stored
     * @param retryable whether a retry may succeed
     */
    record Failed(String reason, boolean retryable) implements Outcome {}
}
