package io.couchjobs.chaos;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks that all jobs have ended, that no conflicts are left, and that the index counts agree with the documents. No lock is
 * left either, because an ended job with a lock counts as malformed.
 */
final class DatabaseRules {
    private DatabaseRules() {}

    static List<String> violations(Ending ending) {
        List<String> violations = new ArrayList<>();
        for (ObjectNode document : ending.documents()) {
            if (!document.path("_conflicts").isEmpty()) {
                violations.add("no conflicts are left: " + document);
            }
        }
        ending.malformed().forEach(document -> violations.add("all jobs are jobs: " + document));
        ending.jobs().values().stream()
                .filter(job -> job.phase() != JobPhase.FINISHED)
                .forEach(job -> violations.add("all comes to an end: " + job.toDocument()));
        counts(ending, violations);
        return violations;
    }

    private static void counts(Ending ending, List<String> violations) {
        Map<String, Map<JobStatus, Long>> found = new HashMap<>();
        ending.jobs().values().forEach(job -> found.computeIfAbsent(job.type(), type -> new HashMap<>())
                .merge(job.status(), 1L, Long::sum));
        Map<String, Map<JobStatus, Long>> counted = new HashMap<>();
        ending.counts().forEach((type, counts) -> {
            Map<JobStatus, Long> some = new HashMap<>(counts);
            some.values().removeIf(number -> number == 0);
            if (!some.isEmpty()) {
                counted.put(type, some);
            }
        });
        if (!found.equals(counted)) {
            violations.add("counts agree: there are " + found + ", the index counts " + counted);
        }
    }
}
