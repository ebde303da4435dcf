package io.couchjobs.chaos;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The result of a chaos run. Immutable.
 *
 * @param violations the broken promises
 * @param figures statistics of the run, as text
 */
record Verdict(List<String> violations, String figures) {
    static Verdict of(History history, Ending ending, Plan plan, Map<Fault, Long> hits) {
        return new Verdict(Checker.violations(history, ending), figures(history, ending, plan, hits));
    }

    /** Adds violations, such as faults that did not happen. A run without its faults proves nothing. */
    Verdict and(List<String> more) {
        return new Verdict(Stream.concat(violations.stream(), more.stream()).toList(), figures);
    }

    private static String figures(History history, Ending ending, Plan plan, Map<Fault, Long> hits) {
        Map<String, Job> jobs = ending.jobs();
        Map<JobStatus, Long> byStatus =
                jobs.values().stream().collect(Collectors.groupingBy(Job::status, TreeMap::new, Collectors.counting()));
        Map<Fault, Long> faults = plan.steps().stream()
                .collect(Collectors.groupingBy(
                        Plan.Step::fault, () -> new EnumMap<>(Fault.class), Collectors.counting()));
        List<Run> runs = history.runs().values().stream().flatMap(List::stream).toList();
        Map<String, Long> outcomes =
                runs.stream().collect(Collectors.groupingBy(Verdict::outcome, TreeMap::new, Collectors.counting()));
        return String.join(
                "\n",
                "jobs: " + jobs.size() + " " + byStatus,
                "runs: " + runs.size() + " " + outcomes,
                "leases that ran out: "
                        + jobs.values().stream().mapToInt(Job::expirations).sum(),
                "owners that were followed by another one: " + superseded(history) + ", of which " + goingOn(history)
                        + " went on in their handlers for a while",
                "items: " + ArrayRules.figures(history, ending),
                "documents that changed again and again: " + ChangeRules.figures(ending),
                "ends that readers were told: " + ReaderRules.figures(history),
                "faults: " + faults,
                "requests, answers and feeds that were hit: " + hits);
    }

    private static String outcome(Run run) {
        if (!run.isHeardOf()) {
            return "NOT_NOTED";
        }
        return run.outcome().isEmpty() ? "KILLED" : run.outcome();
    }

    private static long superseded(History history) {
        return history.runs().values().stream()
                .mapToLong(runs -> runs.size() - 1)
                .sum();
    }

    /** Counts handlers that ended after the next run of their job had begun. */
    private static long goingOn(History history) {
        return history.runs().values().stream().mapToLong(Verdict::goingOn).sum();
    }

    private static long goingOn(List<Run> runs) {
        long number = 0;
        for (int i = 1; i < runs.size(); i++) {
            if (runs.get(i - 1).end().orElse(0) > runs.get(i).begin().nanos()) {
                number++;
            }
        }
        return number;
    }
}
