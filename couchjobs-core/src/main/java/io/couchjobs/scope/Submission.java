package io.couchjobs.scope;

import java.util.List;
import java.util.Map;

/**
 * The result of a submit. Immutable and thread-safe.
 *
 * @param id the job's id, the same in each scope
 * @param correlationId what the jobs have in common: what the request says, else its id; see {@link Scopes#find(String)}
 * @param answers by scope, what it says
 * @param problems by scope, why, in words, of those that did not take it
 */
public record Submission(String id, String correlationId, Map<Scope, Answer> answers, Map<Scope, String> problems) {
    /** {@return whether it was sent to at least one scope, and all of them took it} */
    public boolean isAccepted() {
        return !answers.isEmpty() && answers.values().stream().allMatch(answer -> answer == Answer.OK);
    }

    /**
     * The answer of one scope.
     *
     * @param scope the scope
     * @return what it says
     * @throws IllegalArgumentException when the job was not sent there
     */
    public Answer answer(Scope scope) {
        Answer answer = answers.get(scope);
        if (answer == null) {
            throw new IllegalArgumentException("the job was not sent to " + scope);
        }
        return answer;
    }

    /** {@return the scopes that took it} */
    public List<Scope> accepted() {
        return answers.keySet().stream()
                .filter(scope -> answers.get(scope) == Answer.OK)
                .toList();
    }

    /**
     * The answer of a scope to a job; the constants after {@code OK} are checked in their order. Immutable and thread-safe.
     * Source: Riak Core Jobs.
     */
    public enum Answer {
        /** It is queued, or runs already; if its service dies, it runs when there is one again. */
        OK,
        /** The scope is not running: it was stopped, or never started. */
        SCOPE_SHUTDOWN,
        /** All places are taken, and as many jobs wait as may. */
        JOB_QUEUE_FULL,
        /** It could never run there: its data does not fit, its id is taken, or the database refuses to store it. */
        NOT_RUNNABLE,
        /** The scope does not take jobs of this class, or its accept function does not want it. */
        JOB_REJECTED
    }
}
