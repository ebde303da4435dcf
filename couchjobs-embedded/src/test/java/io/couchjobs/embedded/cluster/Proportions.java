package io.couchjobs.embedded.cluster;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** How often races ended how: the sorted statuses, counted. */
final class Proportions {
    private final String title;
    private final Map<List<Integer>, Integer> counts = new HashMap<>();
    private int total;

    Proportions(String title) {
        this.title = title;
    }

    synchronized void add(List<Integer> statuses) {
        counts.merge(statuses.stream().sorted().toList(), 1, Integer::sum);
        total++;
    }

    /** {@return per cent of the races with exactly so many answers of a status} */
    synchronized double percent(int status, int times) {
        int matching = counts.entrySet().stream()
                .filter(entry ->
                        entry.getKey().stream().filter(one -> one == status).count() == times)
                .mapToInt(Map.Entry::getValue)
                .sum();
        return 100.0 * matching / total;
    }

    /** {@return per cent of the races in which one got 201 and at least one other 202} */
    synchronized double doubled() {
        int matching = counts.entrySet().stream()
                .filter(entry -> entry.getKey().contains(201) && entry.getKey().contains(202))
                .mapToInt(Map.Entry::getValue)
                .sum();
        return 100.0 * matching / total;
    }

    @Override
    public synchronized String toString() {
        return title + ", " + total + " races: "
                + counts.entrySet().stream()
                        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                        .map(entry -> String.format(
                                Locale.ROOT, "%s %.1f %%", entry.getKey(), 100.0 * entry.getValue() / total))
                        .collect(Collectors.joining(", "));
    }
}
