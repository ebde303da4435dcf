package io.couchjobs.cli.doctor;

import io.couchjobs.JobQueue;
import java.util.ArrayList;
import java.util.List;

/** Whether documents have several leaves. */
final class ConflictCheck implements Check {
    private static final int MOST_NAMED = 5;

    @Override
    public String name() {
        return "conflicts";
    }

    @Override
    public Finding look(JobQueue queue) {
        List<String> open = queue.operations().conflicts();
        if (open.isEmpty()) {
            return Finding.fine("no document has conflicts");
        }
        String named = String.join(", ", open.subList(0, Math.min(MOST_NAMED, open.size())));
        return Finding.problem(
                open.size() + " documents have conflicts or claims that made no owner: " + named
                        + (open.size() > MOST_NAMED ? ", ..." : ""),
                "such jobs are not claimed until that is resolved",
                "every worker does so within five minutes; couchjobs doctor --fix does now, as far as can be known");
    }

    @Override
    public List<String> fix(JobQueue queue) {
        List<String> done = new ArrayList<>();
        for (String docId : queue.operations().conflicts()) {
            if (queue.operations().resolve(docId)) {
                done.add("resolved " + docId);
            }
        }
        return done;
    }
}
