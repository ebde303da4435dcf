package io.couchjobs.job;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Where a job stands. The invariant of the whole library: a job has a {@link Lock} exactly when its status
 * {@link #isLocked()}.
 *
 * <p>Immutable and thread-safe. Source: docspell's Joex job states, mapped on the states of the CouchDB background-jobs
 * RFC (007) by {@link #phase()}.
 */
public enum JobStatus {
    /**
     * To be run at its scheduled time. Put there by an add, a release, a resubmit or an expired lease; moved on by a
     * worker's claim, or by a cancel.
     */
    WAITING(JobPhase.PENDING),

    /** Claimed, not started yet. Put there by a worker that takes jobs ahead; moved on by its start or its release. */
    SCHEDULED(JobPhase.RUNNING),

    /**
     * Claimed and started. Put there by a worker; moved on by that worker's finish, fail or release, or by the activity
     * monitor of any worker when the lease runs out.
     */
    RUNNING(JobPhase.RUNNING),

    /**
     * Failed, and to be run again at its scheduled time (the retry time). Put there by a failed run with retries left;
     * moved on as a waiting job is, but claimed before one.
     */
    STUCK(JobPhase.PENDING),

    /** Finished well. Put there by its worker; cleaned up by retention, or enqueued again by an add. */
    SUCCESS(JobPhase.FINISHED),

    /** Failed for good. Put there by a permanent failure or the last retry's; enqueued again by a retry or an add. */
    FAILED(JobPhase.FINISHED),

    /** Cancelled. Put there by a cancel; enqueued again by a retry or an add. */
    CANCELLED(JobPhase.FINISHED);

    private static final Map<String, JobStatus> BY_JSON =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(JobStatus::json, Function.identity()));

    private final JobPhase phase;
    private final String json;

    JobStatus(JobPhase phase) {
        this.phase = phase;
        this.json = name().toLowerCase(Locale.ROOT);
    }

    /** {@return the status in the words of the RFC} */
    public JobPhase phase() {
        return phase;
    }

    /** {@return whether a job of this status has an owner, and so a lock} */
    public boolean isLocked() {
        return phase == JobPhase.RUNNING;
    }

    /** {@return the status as the job document spells it, such as {@code "waiting"}} */
    public String json() {
        return json;
    }

    /**
     * Finds a status by its spelling in a job document.
     *
     * @param json the spelling, such as {@code "waiting"}
     * @return the status, or empty when no status is spelled so
     */
    public static Optional<JobStatus> fromJson(String json) {
        return Optional.ofNullable(BY_JSON.get(json));
    }
}
