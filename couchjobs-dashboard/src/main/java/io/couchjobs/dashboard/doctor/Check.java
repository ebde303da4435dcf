package io.couchjobs.dashboard.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.couch.config.CouchException;
import java.util.List;
import java.util.Optional;

/** Checks one aspect of a queue, its database or its server. Stateless and thread-safe. */
public abstract class Check {
    private final String name;

    /**
     * Creates a check.
     *
     * @param name the name of the check, in one word
     */
    protected Check(String name) {
        this.name = name;
    }

    /** {@return the name of the check, in one word} */
    public final String name() {
        return name;
    }

    /**
     * Makes the check.
     *
     * @param queue the queue
     * @return the finding, also when all is well
     * @throws CouchException when the server fails or refuses to answer
     */
    public abstract Problem look(JobQueue queue);

    /**
     * Repairs everything that can be repaired without harm, even while workers run.
     *
     * @param queue the queue
     * @return the steps that were taken, and those that failed; empty when nothing may be done without asking
     */
    public List<Step> fix(JobQueue queue) {
        return List.of();
    }

    /**
     * Returns the question whether to take a further step, which may do harm.
     *
     * @param queue the queue
     * @return the question for a person; empty when there is nothing to ask
     */
    public Optional<String> question(JobQueue queue) {
        return Optional.empty();
    }

    /**
     * Takes the step that the {@link #question} names.
     *
     * @param queue the queue
     * @return the steps that were taken, and those that failed
     */
    public List<Step> go(JobQueue queue) {
        return List.of();
    }

    /**
     * Makes the check, and turns a failure of the server into a problem, so that one failed check does not stop the others.
     *
     * @param queue the queue
     * @return the finding
     */
    public final Problem lookOrSay(JobQueue queue) {
        try {
            return look(queue);
        } catch (CouchException e) {
            return untold(name, e);
        }
    }

    /**
     * {@return the problem that a check could not be made}
     *
     * @param name the name of the check
     * @param e the server's answer
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
     * {@return the finding that all is well}
     *
     * @param finding what was found
     */
    protected final Problem fine(String finding) {
        return new Problem(name, Problem.Level.OK, finding, "", "");
    }

    /**
     * {@return a note: a finding that people should know, though nothing is broken}
     *
     * @param finding what was found
     * @param consequence what comes of it
     * @param remedy what to do
     */
    protected final Problem note(String finding, String consequence, String remedy) {
        return new Problem(name, Problem.Level.NOTE, finding, consequence, remedy);
    }

    /**
     * {@return a problem that should be solved}
     *
     * @param finding what was found
     * @param consequence what comes of it
     * @param remedy what to do
     */
    protected final Problem problem(String finding, String consequence, String remedy) {
        return new Problem(name, Problem.Level.PROBLEM, finding, consequence, remedy);
    }
}
