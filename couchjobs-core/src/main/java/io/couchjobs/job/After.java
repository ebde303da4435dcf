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
 * The jobs that a held job waits for, and its fate when one of them does not succeed. Immutable and thread-safe.
 *
 * @param jobs the jobs, at least one
 * @param onFailure the fate of the held job when one of them failed, was cancelled or was removed
 */
public record After(Set<JobId> jobs, OnFailure onFailure) {
    /** How many jobs one job can wait for. */
    public static final int MOST = 10_000;

    /** The fate of a held job when one that it waits for did not succeed. Immutable and thread-safe. */
    public enum OnFailure {
        /** It is cancelled, at once. The default. */
        CANCEL,
        /** It runs when all are finished, however they ended. */
        RUN,
        /** It waits until the job is retried or added again, and succeeds. */
        WAIT;

        /** {@return the policy as the job document spells it, such as {@code "cancel"}} */
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

    /** The verdict on a held job. Immutable and thread-safe. */
    public enum Verdict {
        /** Something it waits for is not finished yet, or not there yet. */
        HELD,
        /** It may run now. */
        READY,
        /** It is to be cancelled. */
        CANCEL
    }

    /**
     * Copies, in order.
     *
     * @param jobs the jobs
     * @param onFailure the fate of the held job
     * @throws IllegalArgumentException when there are no jobs, or more than {@value #MOST}
     */
    public After {
        jobs = Collections.unmodifiableSet(new LinkedHashSet<>(jobs));
        if (jobs.isEmpty() || jobs.size() > MOST) {
            throw new IllegalArgumentException("after must name 1 to " + MOST + " jobs: " + jobs.size());
        }
    }

    /**
     * Decides by how the jobs are now. A job that was never there is still awaited; a removed job counts as not
     * succeeded.
     *
     * @param states the status of each job that is there
     * @param removed the jobs that were there and are not any more
     * @return the verdict
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
