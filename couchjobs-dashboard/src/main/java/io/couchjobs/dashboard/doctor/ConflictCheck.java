package io.couchjobs.dashboard.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.couch.config.CouchJobsException;
import java.util.ArrayList;
import java.util.List;

/** Checks for documents with several leaves, and for claims that made no owner. */
final class ConflictCheck extends Check {
    private static final int MOST_NAMED = 5;

    ConflictCheck() {
        super("conflicts");
    }

    @Override
    public Problem look(JobQueue queue) {
        List<String> open = queue.operations().conflicts();
        if (open.isEmpty()) {
            return fine("no document has conflicts");
        }
        String named = String.join(", ", open.subList(0, Math.min(MOST_NAMED, open.size())));
        return problem(
                open.size() + " documents have conflicts or claims that made no owner: " + named
                        + (open.size() > MOST_NAMED ? ", ..." : ""),
                "such jobs are not claimed until that is resolved",
                "every worker does so within five minutes; couchjobs doctor --fix does now, as far as can be known");
    }

    @Override
    public List<Step> fix(JobQueue queue) {
        List<Step> steps = new ArrayList<>();
        for (String docId : queue.operations().conflicts()) {
            try {
                if (queue.operations().resolve(docId)) {
                    steps.add(Step.done("resolved " + docId));
                }
            } catch (CouchJobsException trouble) {
                steps.add(Step.failed("could not resolve " + docId, trouble));
            }
        }
        return steps;
    }
}
