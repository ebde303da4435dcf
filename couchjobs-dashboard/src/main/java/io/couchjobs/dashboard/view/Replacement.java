package io.couchjobs.dashboard.view;

import io.couchjobs.JobQueue;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.JobRequest;
import java.util.List;

/** Adds a job, or gives a pending one new data. */
public final class Replacement {
    private Replacement() {}

    /**
     * Adds a job, or replaces a pending one. Tries an add first, because a refused add throws a specific exception, while a
     * refused replacement has only a message. Replaces the job only when the add finds it pending with the same time.
     *
     * @param queue the queue
     * @param request the job
     * @return what happened; rejected only when a pending job could not be replaced
     */
    public static AddResult add(JobQueue queue, JobRequest request) {
        AddResult result = queue.add(request);
        return result.outcome() == AddResult.Outcome.UNCHANGED
                ? queue.replaceAll(List.of(request)).get(0)
                : result;
    }
}
