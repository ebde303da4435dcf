package io.couchjobs.engine.alarm;

import io.couchjobs.admin.History;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Finds which alarm rules are broken. Remembers for ten minutes how many jobs waited. Used by one thread. */
final class Look {
    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final int LEAST_RUNS = 20;
    private static final int MOST_NAMED = 5;
    private static final String GROWTH = "growth";

    private final AlarmRules rules;
    private final Facts facts;
    private final Deque<Waiting> past = new ArrayDeque<>();

    private record Waiting(Instant at, Map<String, Long> jobs) {}

    /**
     * The findings of a look at the queue.
     *
     * @param found the rules that are broken
     * @param unjudged the rules that this process cannot judge yet
     */
    record Findings(List<Sighting> found, Set<String> unjudged) {
        static final Findings NONE = new Findings(List.of(), Set.of());
    }

    Look(AlarmRules rules, Facts facts) {
        this.rules = rules;
        this.facts = facts;
    }

    Findings at(Instant now) {
        List<Sighting> found = new ArrayList<>();
        Set<String> unjudged = new HashSet<>();
        if (rules.oldestDue().isPresent() || rules.growth().isPresent()) {
            Map<String, TypeCounts> counts = facts.counts().get();
            rules.oldestDue().ifPresent(longest -> lookAtDue(counts, longest, now, found));
            rules.growth().ifPresent(most -> {
                if (!lookAtGrowth(counts, most, now, found)) {
                    unjudged.add(GROWTH);
                }
            });
        }
        rules.failureRate().ifPresent(most -> lookAtFailures(most, now, found));
        if (rules.silentWorkers()) {
            lookAtWorkers(now, found);
        }
        rules.conflicts().ifPresent(most -> lookAtConflicts(most, found));
        return new Findings(found, unjudged);
    }

    /**
     * Forgets the numbers of earlier looks. Called while another process looks, because the numbers would be too old for this
     * process's next look.
     */
    void forget() {
        past.clear();
    }

    private void lookAtDue(Map<String, TypeCounts> counts, Duration longest, Instant now, List<Sighting> found) {
        Map<String, TypeSettings> settings = facts.settings().get();
        counts.forEach((type, numbers) -> {
            TypeSettings known = settings.get(type);
            boolean isPaused = known != null && known.isPaused();
            numbers.oldestPending()
                    .filter(Instant.EPOCH::isBefore) // otherwise the time is unknown
                    .map(oldest -> Duration.between(oldest, now))
                    .filter(due -> !isPaused && due.compareTo(longest) > 0)
                    .ifPresent(due -> found.add(new Sighting(
                            "oldest-due",
                            type,
                            "a job has been due for " + due.toSeconds() + " s, more than " + longest.toSeconds()
                                    + " s")));
        });
    }

    /** Compares the numbers of waiting jobs with those of ten minutes ago. Returns false when no numbers are that old yet. */
    private boolean lookAtGrowth(Map<String, TypeCounts> counts, long most, Instant now, List<Sighting> found) {
        Map<String, Long> waiting = new TreeMap<>();
        counts.forEach((type, numbers) -> waiting.put(type, numbers.pending()));
        past.add(new Waiting(now, waiting));
        Instant begin = now.minus(WINDOW);
        // Keeps the newest numbers from before the window, with which the present numbers are compared.
        while (past.stream().skip(1).anyMatch(later -> !later.at().isAfter(begin))) {
            past.remove();
        }
        Waiting before = past.element();
        if (before.at().isAfter(begin)) {
            return false;
        }
        waiting.forEach((type, jobs) -> {
            long more = jobs - before.jobs().getOrDefault(type, 0L);
            if (more > most) {
                found.add(new Sighting(GROWTH, type, jobs + " jobs wait, " + more + " more than ten minutes ago"));
            }
        });
        return true;
    }

    private void lookAtFailures(double most, Instant now, List<Sighting> found) {
        History.Chart chart = facts.history().read(now.minus(WINDOW), now, Duration.ofMinutes(1));
        chart.byType().forEach((type, series) -> {
            long runs = series.total().runs();
            long failures = series.total().failures();
            if (runs >= LEAST_RUNS && failures > most * runs) {
                found.add(new Sighting(
                        "failure-rate", type, failures + " of " + runs + " runs failed in the last ten minutes"));
            }
        });
    }

    private void lookAtWorkers(Instant now, List<Sighting> found) {
        List<String> silent = facts.workers().get().stream()
                .filter(worker -> worker.registration().isPresent() && worker.isSilent(now))
                .map(WorkerInfo::id)
                .toList();
        if (!silent.isEmpty()) {
            found.add(new Sighting(
                    "silent-workers", "", silent.size() + " workers give no sign of life: " + some(silent)));
        }
    }

    private void lookAtConflicts(int most, List<Sighting> found) {
        List<String> open = facts.conflicts().get();
        if (open.size() > most) {
            found.add(new Sighting("conflicts", "", open.size() + " documents have conflicts: " + some(open)));
        }
    }

    private static String some(List<String> names) {
        String shown = names.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
        return names.size() > MOST_NAMED ? shown + ", ..." : shown;
    }
}
