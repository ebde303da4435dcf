package io.couchjobs.cli.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.CouchException;
import java.util.List;
import java.util.Optional;

/** Looks at one thing. Stateless. */
public interface Check {
    /** {@return what it looks at, in a word} */
    String name();

    /**
     * Looks.
     *
     * @param queue the queue
     * @return what it found
     * @throws CouchException when the server does not tell
     */
    Finding look(JobQueue queue);

    /**
     * Puts right everything that can be put right without harm, even while workers run.
     *
     * @param queue the queue
     * @return the steps that were taken; empty when there is nothing that may be done unasked
     */
    default List<String> fix(JobQueue queue) {
        return List.of();
    }

    /**
     * Asks whether to take a further step, which may do harm.
     *
     * @param queue the queue
     * @return the step, as a question to a person; empty when there is nothing to ask
     */
    default Optional<String> question(JobQueue queue) {
        return Optional.empty();
    }

    /**
     * Does what the {@link #question} asked for.
     *
     * @param queue the queue
     * @return what was done
     */
    default List<String> go(JobQueue queue) {
        return List.of();
    }

    /**
     * Looks, and turns a failure of the server into a problem: one check that fails does not keep the others from looking.
     *
     * @param queue the queue
     * @return what it found
     */
    default Finding lookOrSay(JobQueue queue) {
        try {
            return look(queue);
        } catch (CouchException e) {
            return Finding.untold(e);
        }
    }
}
