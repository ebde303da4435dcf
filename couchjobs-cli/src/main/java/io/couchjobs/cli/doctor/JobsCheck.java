package io.couchjobs.cli.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.couch.config.CouchException;
import java.util.List;

/** Whether jobs are made and run: the dashboard's problems of types, held jobs, workers and triggers, each as a finding. The dashboard finds them by itself. */
public final class JobsCheck {
    /** The name of the check. */
    public static final String NAME = "jobs";

    private JobsCheck() {}

    /**
     * Looks.
     *
     * @param queue the queue
     * @return what it found, at least one finding
     */
    public static List<Finding> look(JobQueue queue) {
        try {
            List<Problem> problems = queue.operations().problems();
            return problems.isEmpty()
                    ? List.of(
                            Finding.fine(
                                    "no job is due without a worker, no worker is silent, no job has failed for good, each trigger is followed"))
                    : problems.stream().map(JobsCheck::finding).toList();
        } catch (CouchException e) {
            return List.of(Finding.untold(e));
        }
    }

    private static Finding finding(Problem problem) {
        return new Finding(
                Finding.Level.valueOf(problem.level().name()),
                problem.name() + ": " + problem.finding(),
                problem.consequence(),
                problem.remedy());
    }
}
