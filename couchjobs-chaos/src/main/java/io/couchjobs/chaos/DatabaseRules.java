package io.couchjobs.chaos;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.JobState;
import io.couchjobs.job.JobStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All jobs have come to an end, nothing is left behind, and the index counts what is there. That no lock is left is part of it: a
 * document that has ended and has a lock is no job.
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
                .filter(job -> job.state() != JobState.FINISHED)
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
