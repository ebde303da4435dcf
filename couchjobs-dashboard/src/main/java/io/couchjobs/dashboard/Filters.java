package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobStatus;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads job filters from a query string or a body. */
final class Filters {
    /** The names of all criteria. */
    static final Set<String> NAMES = Stream.concat(
                    Stream.of("type", "status", "site"),
                    Arrays.stream(JobFilter.Label.values()).map(Filters::name))
            .collect(Collectors.toUnmodifiableSet());

    private Filters() {}

    static Optional<JobFilter.Label> label(String name) {
        return Arrays.stream(JobFilter.Label.values())
                .filter(label -> name(label).equals(name))
                .findAny();
    }

    private static String name(JobFilter.Label label) {
        return label.name().toLowerCase(Locale.ROOT);
    }

    static JobFilter of(Call call) {
        return of(call::param);
    }

    static JobFilter of(ObjectNode json) {
        return of(name -> Optional.of(json.path(name).asText()).filter(text -> !text.isEmpty()));
    }

    static boolean isOpen(JobFilter filter) {
        return filter.equals(JobFilter.all());
    }

    /** {@return whether the filter has a label or a site, by which the index does not count} */
    static boolean hasLabel(JobFilter filter) {
        return !filter.labels().isEmpty() || filter.ofSite() != null;
    }

    private static JobFilter of(Function<String, Optional<String>> values) {
        Map<JobFilter.Label, String> labels = new EnumMap<>(JobFilter.Label.class);
        for (JobFilter.Label label : JobFilter.Label.values()) {
            values.apply(name(label)).ifPresent(value -> labels.put(label, value));
        }
        return new JobFilter(
                values.apply("type").orElse(null),
                values.apply("status").map(Filters::status).orElse(null),
                labels,
                values.apply("site").orElse(null));
    }

    private static JobStatus status(String name) {
        return JobStatus.fromJson(name).orElseThrow(() -> new Refusal(400, "there is no status " + name));
    }
}
