package io.couchjobs.engine.history;

import io.couchjobs.admin.History;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Sums up numbers by the steps of a chart. Not thread-safe. */
final class ChartBuilder {
    private final Instant start;
    private final Duration step;
    private final int points;
    private final Line all;
    private final Map<String, Line> byType = new TreeMap<>();

    ChartBuilder(Instant start, Duration step, int points) {
        this.start = start;
        this.step = step;
        this.points = points;
        this.all = new Line();
    }

    /** Adds the numbers of a minute or an hour that begins at a time. Ignores a time outside the chart. */
    void add(Instant at, Sums sums) {
        long place = Math.floorDiv(Duration.between(start, at).toMillis(), step.toMillis());
        if (place < 0 || place >= points) {
            return;
        }
        all.add((int) place, sums.all());
        sums.byType().forEach((type, ofType) -> byType.computeIfAbsent(type, fresh -> new Line())
                .add((int) place, ofType));
    }

    History.Chart build() {
        Map<String, History.Series> series = new TreeMap<>();
        byType.forEach((type, line) -> series.put(type, line.series()));
        return new History.Chart(start, step, all.series(), Collections.unmodifiableMap(series));
    }

    /** The numbers of one type, by step. */
    private final class Line {
        private final TypeSums total = new TypeSums();
        private final Map<Integer, TypeSums> steps = new HashMap<>();

        void add(int place, TypeSums sums) {
            steps.computeIfAbsent(place, fresh -> new TypeSums()).add(sums);
            total.add(sums);
        }

        History.Series series() {
            return new History.Series(
                    total.point(start),
                    IntStream.range(0, points).mapToObj(this::point).toList());
        }

        private History.Point point(int place) {
            return steps.getOrDefault(place, new TypeSums()).point(start.plus(step.multipliedBy(place)));
        }
    }
}
