package io.couchjobs.dashboard.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.couch.config.CouchException;
import java.util.List;
import java.util.Optional;

/** Looks at one thing of a queue, its database or its server. Stateless and thread-safe. */
public abstract class Check {
    private final String name;

    /**
     * A check.
     *
     * @param name what it looks at, in a word
     */
    protected Check(String name) {
        this.name = name;
    }

    /** {@return what it looks at, in a word} */
    public final String name() {
        return name;
    }

    /**
     * Looks.
     *
     * @param queue the queue
     * @return what it found, also when all is well
     * @throws CouchException when the server does not tell
     */
    public abstract Problem look(JobQueue queue);

    /**
     * Puts right everything that can be put right without harm, even while workers run.
     *
     * @param queue the queue
     * @return the steps that were taken, and those that failed; empty when there is nothing that may be done unasked
     */
    public List<Step> fix(JobQueue queue) {
        return List.of();
    }

    /**
     * Asks whether to take a further step, which may do harm.
     *
     * @param queue the queue
     * @return the step, as a question to a person; empty when there is nothing to ask
     */
    public Optional<String> question(JobQueue queue) {
        return Optional.empty();
    }

    /**
     * Does what the {@link #question} asked for.
     *
     * @param queue the queue
     * @return the steps that were taken, and those that failed
     */
    public List<Step> go(JobQueue queue) {
        return List.of();
    }

    /**
     * Looks, and turns a failure of the server into a problem: one check that fails does not keep the others from looking.
     *
     * @param queue the queue
     * @return what it found
     */
    public final Problem lookOrSay(JobQueue queue) {
        try {
            return look(queue);
        } catch (CouchException e) {
            return untold(name, e);
        }
    }

    /**
     * {@return the problem that the server did not tell}
     *
     * @param name what was looked at
     * @param e what the server answered
     */
    public static Problem untold(String name, CouchException e) {
        boolean isForbidden = e.status() == 401 || e.status() == 403;
        return new Problem(
                name,
                Problem.Level.PROBLEM,
                String.valueOf(e.getMessage()),
                "this check could not be made",
                isForbidden ? "ask as a user who may read the database" : "see the server's log");
    }

    /**
     * {@return that all is well}
     *
     * @param finding what was found
     */
    protected final Problem fine(String finding) {
        return new Problem(name, Problem.Level.OK, finding, "", "");
    }

    /**
     * {@return something to know, by which nothing is broken}
     *
     * @param finding what was found
     * @param consequence what comes of it
     * @param remedy what to do
     */
    protected final Problem note(String finding, String consequence, String remedy) {
        return new Problem(name, Problem.Level.NOTE, finding, consequence, remedy);
    }

    /**
     * {@return something to be put right}
     *
     * @param finding what was found
     * @param consequence what comes of it
     * @param remedy what to do
     */
    protected final Problem problem(String finding, String consequence, String remedy) {
        return new Problem(name, Problem.Level.PROBLEM, finding, consequence, remedy);
    }
}
