package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The target of a figure, on a CouchDB with documents of 1 KB.
 *
 * @param text the target, for people
 * @param ratio the field that is compared with a limit; empty when there is none
 * @param measured writes the measured values for people
 * @param isMet whether the target is met; empty when there is no target
 */
record Target(
        String text, String ratio, Function<JsonNode, String> measured, Function<JsonNode, Optional<Boolean>> isMet) {
    static Target of(Figure figure) {
        return switch (figure) {
            case ENQUEUE_BULK -> new Target("0.9 or more", "of_limit", Target::rate, met(value -> atLeast(value, 0.9)));
            case ENQUEUE_THREADS, ENQUEUE_ASYNC ->
                new Target("0.6 or more", "of_limit", Target::rate, met(value -> atLeast(value, 0.6)));
            case DRAIN -> new Target("0.8 or more", "of_limit", Target::drained, met(value -> atLeast(value, 0.8)));
            case DRAIN_PROCESSES ->
                new Target(
                        "0.9 or more, wasted 0.05 or less",
                        "of_limit",
                        Target::drained,
                        met(value -> atLeast(value, 0.9)
                                && value.path("wasted_claims").asDouble() <= 0.05));
            case WAKEUP ->
                new Target(
                        "1.3 or less, p99 3 or less",
                        "of_limit",
                        value -> value.path("ms_p50").asText() + " ms, p99 "
                                + value.path("ms_p99").asText() + " ms",
                        met(value -> value.path("of_limit").asDouble() <= 1.3
                                && value.path("p99_of_limit").asDouble() <= 3));
            case PROCESSES ->
                new Target(
                        "0.9 or more, wasted 0.1 or less",
                        "worst_of_one",
                        value -> value.path("cells").size() + " pairs of processes and places; wasted at most "
                                + value.path("worst_wasted_claims").asText(),
                        met(value -> value.path("worst_of_one").asDouble() >= 0.9
                                && value.path("worst_wasted_claims").asDouble() <= 0.1));
            case FLEET ->
                new Target(
                        "1.5 or less",
                        "server_cpu_of_one",
                        value -> value.path("per_s_of_one").asText() + " of the rate of one listener",
                        value -> value.has("server_cpu_of_one")
                                ? Optional.of(value.path("server_cpu_of_one").asDouble() <= 1.5)
                                : Optional.empty());
            case IDLE ->
                new Target(
                        "2 or less",
                        "",
                        value -> value.path("requests_per_min").asText() + " requests/min, "
                                + value.path("cpu_percent").asText() + " % CPU",
                        met(value -> value.path("requests_per_min").asDouble() <= 2));
            case HERD ->
                new Target(
                        "1.5 or less",
                        "",
                        value -> value.path("claims_per_job").asText() + " claims/job of "
                                + value.path("workers").asText() + " workers",
                        met(value -> value.path("claims_per_job").asDouble() <= 1.5));
            case ARRAYS ->
                new Target(
                        "10 or more",
                        "of_drain",
                        value -> value.path("per_s").asText() + " items/s, "
                                + value.path("bytes_per_item").asText("?") + " bytes/item",
                        met(value -> value.path("of_drain").asDouble() >= 10));
            case BACKLOG ->
                new Target(
                        "0.9 or more",
                        "drain_of_small",
                        value -> value.path("per_s").asText() + " jobs/s beside "
                                + value.path("jobs").asText(),
                        met(value -> value.path("drain_of_small").asDouble() >= 0.9));
            case MEMORY ->
                new Target(
                        "works",
                        "",
                        value -> value.path("heap_mb").asText() + " MB of heap of "
                                + value.path("max_mb").asText() + " beside "
                                + value.path("backlog").asText(),
                        met(value -> value.has("heap_mb")));
            case STORAGE ->
                new Target(
                        "",
                        "",
                        value -> value.path("bytes_per_job").asText() + " bytes/job",
                        value -> Optional.empty());
            case START ->
                new Target(
                        "400 ms or less over the JVM",
                        "",
                        value -> value.path("ms").asText() + " ms, "
                                + value.path("over_jvm_ms").asText() + " ms over the JVM",
                        met(value -> value.path("over_jvm_ms").asDouble() <= 400));
        };
    }

    String measured(JsonNode value) {
        return measured.apply(value);
    }

    Optional<Boolean> verdict(JsonNode value) {
        return isMet.apply(value);
    }

    private static Function<JsonNode, Optional<Boolean>> met(Predicate<JsonNode> test) {
        return value -> Optional.of(test.test(value));
    }

    private static boolean atLeast(JsonNode value, double ratio) {
        return value.path("of_limit").asDouble() >= ratio;
    }

    private static String rate(JsonNode value) {
        return value.path("per_s").asText() + " jobs/s";
    }

    private static String drained(JsonNode value) {
        return rate(value) + ", wasted " + value.path("wasted_claims").asText();
    }
}
