package io.couchjobs.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The jobs that a held job waits for, and the policy when one of them does not succeed. Immutable and thread-safe.
 *
 * @param jobs the jobs, at least one
 * @param onFailure the policy for the held job when one of the jobs failed, was cancelled or was removed
 */
public record After(Set<JobId> jobs, OnFailure onFailure) {
    /** The highest number of jobs that one job can wait for. */
    public static final int MOST = 10_000;

    /** The policy for a held job when an awaited job did not succeed. Immutable and thread-safe. */
    public enum OnFailure {
        /** The held job is cancelled immediately. The default. */
        CANCEL,
        /** The held job runs when all awaited jobs have finished, regardless of their outcome. */
        RUN,
        /** The held job waits until the awaited job is retried or added again, and succeeds. */
        WAIT;

        /** {@return the spelling of the policy in a job document, such as {@code "cancel"}} */
        public String json() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Optional<OnFailure> fromJson(String json) {
            for (OnFailure policy : values()) {
                if (policy.json().equals(json)) {
                    return Optional.of(policy);
                }
            }
            return Optional.empty();
        }
    }

    /** The decision about a held job. Immutable and thread-safe. */
    public enum Verdict {
        /** The job must wait: an awaited job has not finished, or does not exist yet. */
        HELD,
        /** The job may run now. */
        READY,
        /** The job must be cancelled. */
        CANCEL
    }

    /**
     * Copies the jobs and keeps their order.
     *
     * @param jobs the jobs
     * @param onFailure the policy for the held job
     * @throws IllegalArgumentException when there are no jobs, or more than {@value #MOST}
     */
    public After {
        jobs = Collections.unmodifiableSet(new LinkedHashSet<>(jobs));
        if (jobs.isEmpty() || jobs.size() > MOST) {
            throw new IllegalArgumentException("after must name 1 to " + MOST + " jobs: " + jobs.size());
        }
    }

    /**
     * Decides about the held job from the states of the awaited jobs. A job that never existed is still awaited. A removed job
     * counts as not succeeded.
     *
     * @param states the status of each existing job
     * @param removed the jobs that existed and have been removed
     * @return the decision
     */
    public Verdict judge(Map<JobId, JobStatus> states, Set<JobId> removed) {
        boolean allFinished = true;
        for (JobId job : jobs) {
            JobStatus status = states.get(job);
            boolean failed = removed.contains(job) || status == JobStatus.FAILED || status == JobStatus.CANCELLED;
            if (failed && onFailure == OnFailure.CANCEL) {
                return Verdict.CANCEL;
            }
            allFinished &= status == JobStatus.SUCCESS || (failed && onFailure == OnFailure.RUN);
        }
        return allFinished ? Verdict.READY : Verdict.HELD;
    }

    static After of(JsonNode json) {
        Set<JobId> jobs = new LinkedHashSet<>();
        json.path(Field.JOBS).forEach(job -> JobId.fromDocId(job.asText()).ifPresent(jobs::add));
        return new After(
                jobs, OnFailure.fromJson(json.path(Field.ON_FAILURE).asText()).orElse(OnFailure.CANCEL));
    }

    static boolean isValid(JsonNode json) {
        JsonNode jobs = json.path(Field.JOBS);
        JsonNode policy = json.path(Field.ON_FAILURE);
        boolean known = policy.isMissingNode()
                || policy.isNull()
                || (policy.isTextual() && OnFailure.fromJson(policy.asText()).isPresent());
        return json.isObject()
                && jobs.isArray()
                && !jobs.isEmpty()
                && jobs.size() <= MOST
                && known
                && jobs.valueStream().allMatch(After::isJob);
    }

    private static boolean isJob(JsonNode job) {
        return job.isTextual() && JobId.fromDocId(job.asText()).isPresent();
    }

    ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode array = json.putArray(Field.JOBS);
        jobs.forEach(job -> array.add(job.docId()));
        return json.put(Field.ON_FAILURE, onFailure.json());
    }
}
