package io.couchjobs.cli.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Measured numbers and their statistics. Not thread-safe. */
final class Samples {
    private final List<Double> values = new ArrayList<>();

    static Samples of(double... values) {
        Samples samples = new Samples();
        for (double value : values) {
            samples.add(value);
        }
        return samples;
    }

    void add(double value) {
        values.add(value);
    }

    boolean isEmpty() {
        return values.isEmpty();
    }

    double median() {
        List<Double> sorted = sorted();
        int half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }

    /** Returns the least value that is not exceeded by the given percentage of the values. */
    double percentile(int percent) {
        List<Double> sorted = sorted();
        int index = (int) Math.ceil(sorted.size() * percent / 100.0) - 1;
        return sorted.get(Math.max(0, index));
    }

    double least() {
        return Collections.min(values);
    }

    double greatest() {
        return Collections.max(values);
    }

    private List<Double> sorted() {
        if (values.isEmpty()) {
            throw new IllegalStateException("nothing was measured");
        }
        return values.stream().sorted().toList();
    }
}
