package io.couchjobs.scope;

import java.util.List;
import java.util.Map;

/**
 * The result of a submit. Immutable and thread-safe.
 *
 * @param id the job's id, the same in each scope
 * @param correlationId the correlation id that the jobs share: that of the request, or else the job's id; see {@link
 *     Scopes#find(String)}
 * @param answers the answer of each scope
 * @param problems a description of the reason, for each scope that did not accept the job
 */
public record Submission(String id, String correlationId, Map<Scope, Answer> answers, Map<Scope, String> problems) {
    /** {@return whether the job was sent to at least one scope, and all scopes accepted it} */
    public boolean isAccepted() {
        return !answers.isEmpty() && answers.values().stream().allMatch(answer -> answer == Answer.OK);
    }

    /**
     * Returns the answer of one scope.
     *
     * @param scope the scope
     * @return the answer
     * @throws IllegalArgumentException when the job was not sent to this scope
     */
    public Answer answer(Scope scope) {
        Answer answer = answers.get(scope);
        if (answer == null) {
            throw new IllegalArgumentException("the job was not sent to " + scope);
        }
        return answer;
    }

    /** {@return the scopes that accepted the job} */
    public List<Scope> accepted() {
        return answers.keySet().stream()
                .filter(scope -> answers.get(scope) == Answer.OK)
                .toList();
    }

    /**
     * The answers of a scope to a job. The problems are checked in the order of the constants. Immutable and thread-safe. Source:
     * Riak Core Jobs.
     */
    public enum Answer {
        /** The job is queued or already running. If its service dies, the job runs when the scope is served again. */
        OK,
        /** The scope is not running: it was stopped, or never started. */
        SCOPE_SHUTDOWN,
        /** All slots are taken, and the queue limit is reached. */
        JOB_QUEUE_FULL,
        /**
         * The job could never run in this scope: its data cannot be converted, its id is taken, or the database refuses to store
         * it.
         */
        NOT_RUNNABLE,
        /** The scope does not accept jobs of this class, or its accept function rejected the job. */
        JOB_REJECTED
    }
}
