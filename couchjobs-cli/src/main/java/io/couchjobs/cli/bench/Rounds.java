package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/**
 * Measures rates in turn with the server's own rate: raw, product, raw, product, ... Each ratio compares a rate with the mean of
 * the two raw rates around it, so that anything that slows down the machine for a while affects both.
 */
final class Rounds {
    private final Raw raw;
    private final Plan plan;
    private final Steps steps;
    private final Samples rawRates = new Samples();
    private final Map<Figure, Samples> rates = new EnumMap<>(Figure.class);
    private final Map<Figure, Samples> ratios = new EnumMap<>(Figure.class);
    private final Map<Figure, RuntimeException> failures = new EnumMap<>(Figure.class);

    Rounds(Raw raw, Plan plan, Steps steps) {
        this.raw = raw;
        this.plan = plan;
        this.steps = steps;
    }

    /** A rate that is measured between two raw rates. */
    interface Measurement {
        double perSecond() throws Exception;
    }

    /**
     * A rate to measure.
     *
     * @param figure the figure
     * @param measurement measures the rate
     * @param limit computes the limit from the raw rate
     */
    record Part(Figure figure, Measurement measurement, DoubleUnaryOperator limit) {}

    /** Runs all rounds. A round before them does not count, because a JVM needs a while to become fast. */
    void run(List<Part> parts, Runnable onWarm) throws InterruptedException {
        for (Part part : parts) {
            steps.begin("warming up: " + part.figure());
            measured(part);
            steps.done(part.figure().weight());
        }
        onWarm.run();
        for (int round = 1; round <= plan.rounds(); round++) {
            run(parts, "round " + round + " of " + plan.rounds() + ": ");
        }
    }

    private void run(List<Part> parts, String title) throws InterruptedException {
        double before = rawRate(title);
        for (Part part : parts) {
            steps.begin(title + part.figure());
            double rate = measured(part);
            steps.done(part.figure().weight());
            double after = rawRate(title);
            if (rate > 0) {
                samples(rates, part.figure()).add(rate);
                samples(ratios, part.figure()).add(rate / part.limit().applyAsDouble((before + after) / 2));
            }
            before = after;
        }
    }

    /** Measures a rate; returns 0 when it fails now or failed before, so that the other rates are still measured. */
    private double measured(Part part) throws InterruptedException {
        if (failures.containsKey(part.figure())) {
            return 0;
        }
        try {
            return part.measurement().perSecond();
        } catch (InterruptedException interrupted) {
            throw interrupted;
        } catch (Exception trouble) {
            failures.put(
                    part.figure(),
                    trouble instanceof RuntimeException known
                            ? known
                            : new IllegalStateException(trouble.getMessage(), trouble));
            return 0;
        }
    }

    private double rawRate(String title) throws InterruptedException {
        steps.begin(title + "raw bulk writes");
        double rate = raw.perSecond(plan.jobs());
        rawRates.add(rate);
        steps.done(1);
        return rate;
    }

    Samples rawRates() {
        return rawRates;
    }

    /** Adds the rate and its ratios to the report of a figure; throws the exception if the measurement failed. */
    ObjectNode json(Figure figure, ObjectNode json) {
        RuntimeException failure = failures.get(figure);
        if (failure != null) {
            throw failure;
        }
        json.put("per_s", Numbers.rounded(samples(rates, figure).median()));
        return Numbers.ratio(json, samples(ratios, figure));
    }

    private static Samples samples(Map<Figure, Samples> all, Figure figure) {
        return all.computeIfAbsent(figure, any -> new Samples());
    }
}
