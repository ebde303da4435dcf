package io.couchjobs.chaos;

import io.couchjobs.chaos.Entry.What;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Checks that the items of arrays are run, and that the states of ended items do not change after an owner was told that they are
 * stored. One change is allowed: an item that failed for good may succeed in a run of another owner that did not know of the
 * failure.
 */
final class ArrayRules {
    private static final char SUCCEEDED = 's';
    private static final char FAILED = 'f';

    private final History history;
    private final List<String> violations = new ArrayList<>();

    private ArrayRules(History history) {
        this.history = history;
    }

    static List<String> violations(History history, Ending ending) {
        ArrayRules rules = new ArrayRules(history);
        ending.jobs().forEach((id, job) -> {
            if (isChunk(job)) {
                rules.complete(id, job);
                rules.ended(id, job);
                rules.stored(id, job);
                rules.run(id, job);
                if (!ending.isCluster()) {
                    rules.again(id, job);
                }
            }
        });
        return rules.violations;
    }

    static boolean isChunk(Job job) {
        return !states(job).isEmpty();
    }

    /** {@return the states of a chunk's items, a character for each; empty for any other job} */
    static String states(Job job) {
        return job.document().path("array").path("states").asText();
    }

    private void complete(String id, Job job) {
        int items = states(job).length();
        history.first(id, What.ADDED)
                .filter(added -> Integer.parseInt(added.detail()) != items)
                .ifPresent(added -> violations.add("nothing is lost: " + id + " has " + items + " items: " + added));
    }

    private void ended(String id, Job job) {
        String states = states(job);
        boolean allSucceeded = states.chars().allMatch(state -> state == SUCCEEDED);
        boolean allEnded = states.chars().allMatch(state -> state == SUCCEEDED || state == FAILED);
        if (!allEnded && job.status() != JobStatus.CANCELLED) {
            violations.add("items are run: " + id + " is " + job.status() + " with " + states);
        } else if (!allSucceeded && job.status() == JobStatus.SUCCESS) {
            violations.add("items that fail are told: " + id + " is a success with " + states);
        }
    }

    private void stored(String id, Job job) {
        String states = states(job);
        for (Run run : history.runs(id)) {
            for (Entry stored : run.all(What.ITEMS_STORED)) {
                for (int item = 0; item < states.length(); item++) {
                    char then = stored.detail().charAt(item);
                    boolean isUndone = then == SUCCEEDED
                            ? states.charAt(item) != SUCCEEDED
                            : then == FAILED && states.charAt(item) != FAILED && states.charAt(item) != SUCCEEDED;
                    if (isUndone) {
                        violations.add("stored ends of items stay: item " + item + " of " + id + " was '" + then
                                + "' for " + run + ", and is '" + states.charAt(item) + "'");
                    }
                }
            }
        }
    }

    private void run(String id, Job job) {
        Set<Integer> begun = new HashSet<>();
        Set<Integer> done = new HashSet<>();
        history.runs(id).forEach(run -> {
            begun.addAll(items(run, What.ITEM_BEGIN, job));
            done.addAll(items(run, What.ITEM_DONE, job));
        });
        String states = states(job);
        for (int item = 0; item < states.length(); item++) {
            char state = states.charAt(item);
            if ((state == SUCCEEDED && !done.contains(item)) || (state == FAILED && !begun.contains(item))) {
                violations.add("ends of items are of runs: nobody ran item " + item + " of " + id);
            }
        }
    }

    /** Checks that no ended item runs again. On a cluster, the owner that ended the item may be out of reach. */
    private void again(String id, Job job) {
        Set<Integer> stored = new TreeSet<>();
        for (Run run : history.runs(id)) {
            Set<Integer> again = new TreeSet<>(items(run, What.ITEM_BEGIN, job));
            again.retainAll(stored);
            if (!again.isEmpty()) {
                violations.add("stored ends of items stay: items " + again + " of " + id + " were run again: " + run);
            }
            run.all(What.ITEMS_STORED).forEach(entry -> stored.addAll(endedItems(entry.detail())));
        }
    }

    private static Set<Integer> endedItems(String states) {
        return IntStream.range(0, states.length())
                .filter(item -> states.charAt(item) == SUCCEEDED || states.charAt(item) == FAILED)
                .boxed()
                .collect(Collectors.toSet());
    }

    /** {@return the items with an event in a run, by index in the chunk} */
    private static Set<Integer> items(Run run, What what, Job job) {
        int first = job.document().path("array").path("first").asInt();
        return run.all(what).stream()
                .map(entry -> Integer.parseInt(entry.detail()) - first)
                .collect(Collectors.toSet());
    }

    /** {@return the time when every item of a chunk had succeeded at least once; empty when an item never did} */
    static OptionalLong end(List<Run> runs, Job job) {
        Map<String, Long> done = new TreeMap<>();
        runs.forEach(
                run -> run.all(What.ITEM_DONE).forEach(entry -> done.merge(entry.detail(), entry.nanos(), Math::min)));
        return done.size() < states(job).length()
                ? OptionalLong.empty()
                : done.values().stream().mapToLong(nanos -> nanos).max();
    }

    /** {@return the numbers of chunks and items, and of their runs} */
    static Map<String, Long> figures(History history, Ending ending) {
        Map<String, Long> figures = new TreeMap<>();
        ending.jobs().values().stream().filter(ArrayRules::isChunk).forEach(job -> {
            figures.merge("chunks", 1L, Long::sum);
            figures.merge("items", (long) states(job).length(), Long::sum);
            Set<String> done = new HashSet<>();
            for (Run run : history.runs(job.id().docId())) {
                figures.merge("runs", (long) run.all(What.ITEM_BEGIN).size(), Long::sum);
                long again = run.all(What.ITEM_BEGIN).stream()
                        .filter(begin -> done.contains(begin.detail()))
                        .count();
                figures.merge("runs of items that were done before", again, Long::sum);
                run.all(What.ITEM_DONE).forEach(entry -> done.add(entry.detail()));
            }
        });
        return figures;
    }
}
