package io.couchjobs.job;

/** How far a cancel goes. Immutable and thread-safe. Source: docspell's Joex. */
public enum CancelMode {
    /** Cancel the job only if it has no owner. */
    IF_QUEUED,
    /** As {@link #IF_QUEUED}, and ask the owner of a running job to stop. */
    REQUEST
}
