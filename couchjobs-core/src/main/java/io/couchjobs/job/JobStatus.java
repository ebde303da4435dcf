package io.couchjobs.job;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The status of a job. An invariant of the whole library: a job has a {@link Lock} if and only if its status {@link #isLocked()}.
 *
 * <p>Immutable and thread-safe. Source: docspell's Joex job states. {@link #phase()} maps them to the states of the CouchDB
 * background-jobs RFC (007).
 */
public enum JobStatus {
    /**
     * Waiting for its scheduled time or for a worker. Entered by an add, a release, a resubmit or an expired lease; left by a
     * worker's claim or by a cancel.
     */
    WAITING(JobPhase.PENDING),

    /** Claimed, but not started yet. Entered when a worker claims jobs ahead; left by the start or the release. */
    SCHEDULED(JobPhase.RUNNING),

    /**
     * Claimed and started. Entered by a worker; left by that worker's finish, fail or release, or by the activity monitor of any
     * worker when the lease expires.
     */
    RUNNING(JobPhase.RUNNING),

    /**
     * Failed, and waiting for a retry at its scheduled time. Entered by a failed run with retries left; left like {@link #WAITING},
     * but claimed before waiting jobs.
     */
    STUCK(JobPhase.PENDING),

    /** Finished successfully. Entered by the worker; deleted by retention, or enqueued again by an add. */
    SUCCESS(JobPhase.FINISHED),

    /** Failed permanently. Entered by a permanent failure or when no retry is left; enqueued again by a retry or an add. */
    FAILED(JobPhase.FINISHED),

    /** Cancelled. Entered by a cancel; enqueued again by a retry or an add. */
    CANCELLED(JobPhase.FINISHED);

    private static final Map<String, JobStatus> BY_JSON =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(JobStatus::json, Function.identity()));

    private final JobPhase phase;
    private final String json;

    JobStatus(JobPhase phase) {
        this.phase = phase;
        this.json = name().toLowerCase(Locale.ROOT);
    }

    /** {@return the phase: the status in the terms of the RFC} */
    public JobPhase phase() {
        return phase;
    }

    /** {@return whether a job with this status has an owner, and therefore a lock} */
    public boolean isLocked() {
        return phase == JobPhase.RUNNING;
    }

    /** {@return the spelling of the status in a job document, such as {@code "waiting"}} */
    public String json() {
        return json;
    }

    /**
     * Finds a status by its spelling in a job document.
     *
     * @param json the spelling, such as {@code "waiting"}
     * @return the status, or empty when no status has this spelling
     */
    public static Optional<JobStatus> fromJson(String json) {
        return Optional.ofNullable(BY_JSON.get(json));
    }
}
