package io.couchjobs.chaos;

import io.couchjobs.job.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Checks that a job has at most one owner at a time, that fences grow, and that handlers are stopped in time and not too early. */
final class OwnershipRules {
    /** Less than the time limit, because a handler notes its begin a moment after its time starts. */
    private static final long LEAST_NANOS =
            WorkerProcess.TIME_LIMIT.minusSeconds(2).toNanos();

    private OwnershipRules() {}

    static List<String> violations(History history, Ending ending) {
        List<String> violations = new ArrayList<>();
        history.runs().values().forEach(runs -> {
            owners(runs, violations);
            runs.forEach(run -> stops(run, violations));
        });
        fencesOfDocuments(history, ending.jobs(), violations);
        return violations;
    }

    /** Compares each run with all later ones. The runs are in the order of their fences. */
    private static void owners(List<Run> runs, List<String> violations) {
        for (int i = 0; i < runs.size(); i++) {
            for (Run later : runs.subList(i + 1, runs.size())) {
                compare(runs.get(i), later, violations);
            }
        }
    }

    private static void compare(Run before, Run later, List<String> violations) {
        if (before.token().equals(later.token())) {
            violations.add("one run per claim: " + before + ", and " + later);
        } else if (before.fence() == later.fence()) {
            violations.add("fences grow: " + before + ", and " + later);
        } else {
            Optional<Entry> proof = before.lastProof()
                    .filter(last -> last.nanos() > later.begin().nanos());
            proof.ifPresent(late -> violations.add((late.what() == Entry.What.END ? "no late results: " : "one owner: ")
                    + before + " was owner " + (late.nanos() - later.begin().nanos()) / 1_000 + " us after " + later
                    + " (" + late.what() + ")"));
        }
    }

    private static void stops(Run run, List<String> violations) {
        run.untold()
                .ifPresent(untold -> violations.add(
                        "who is to stop is told: " + run + " was not interrupted, but " + untold.detail()));
        boolean isEarly = run.isTooSlow() && run.end().getAsLong() - run.begin().nanos() < LEAST_NANOS;
        if (isEarly) {
            violations.add("nobody is stopped before the time limit: " + run);
        }
    }

    private static void fencesOfDocuments(History history, Map<String, Job> jobs, List<String> violations) {
        jobs.forEach((id, job) -> {
            List<Run> runs = history.runs(id);
            if (!runs.isEmpty() && job.fence() < runs.get(runs.size() - 1).fence()) {
                violations.add("fences grow: the job has " + job.fence() + " after " + runs.get(runs.size() - 1));
            }
        });
    }
}
