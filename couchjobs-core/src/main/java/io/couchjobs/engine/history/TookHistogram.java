package io.couchjobs.engine.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A histogram of how long runs took. Each bin is about a fifth wider than the one before. Not thread-safe. */
final class TookHistogram {
    private static final int BINS_PER_DOUBLING = 4;
    private static final int LAST = 127;

    private final Map<Integer, Long> bins = new TreeMap<>();

    /** Reads the form of {@link #toJson}. */
    static TookHistogram of(JsonNode json) {
        TookHistogram read = new TookHistogram();
        for (int i = 0; i + 1 < json.size(); i += 2) {
            int bin = Math.max(0, Math.min(json.path(i).asInt(), LAST));
            read.add(bin, json.path(i + 1).asLong());
        }
        return read;
    }

    /** Returns pairs of a bin and its number of runs, for the bins that are not empty. */
    ArrayNode toJson() {
        ArrayNode json = JsonNodeFactory.instance.arrayNode();
        bins.forEach((bin, runs) -> json.add(bin).add(runs));
        return json;
    }

    void add(Duration took) {
        add(binOf(took.getSeconds() * 1e3 + took.getNano() / 1e6), 1);
    }

    void add(TookHistogram other) {
        other.bins.forEach(this::add);
    }

    private void add(int bin, long runs) {
        if (runs > 0) {
            bins.merge(bin, runs, Long::sum);
        }
    }

    /** {@return the time that this part of all runs did not exceed; empty without runs} */
    Optional<Duration> quantile(double part) {
        long all = bins.values().stream().mapToLong(Long::longValue).sum();
        long left = Math.max(1, (long) Math.ceil((double) all * part));
        for (Map.Entry<Integer, Long> bin : bins.entrySet()) {
            left -= bin.getValue();
            if (left <= 0) {
                return Optional.of(middleOf(bin.getKey()));
            }
        }
        return Optional.empty();
    }

    /** Returns the bin of a time. Bin 0 is for less than a millisecond; bin 1 begins at one millisecond. */
    private static int binOf(double millis) {
        if (millis < 1) {
            return 0;
        }
        double doublings = Math.log(millis) / Math.log(2);
        return (int) Math.min(LAST, 1 + Math.floor(doublings * BINS_PER_DOUBLING + 1e-9));
    }

    private static Duration middleOf(int bin) {
        if (bin == 0) {
            return Duration.ZERO;
        }
        double millis = Math.pow(2, (bin - 0.5) / BINS_PER_DOUBLING);
        return Duration.ofNanos(Math.round(millis * 1e6));
    }
}
