package io.couchjobs.dashboard.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * The checks that the page of problems and {@code couchjobs doctor} make beside those of the jobs themselves. Thread-safe.
 *
 * <pre>{@code
 * Checks.all().forEach(check -> System.out.println(check.lookOrSay(queue).finding()));
 * }</pre>
 */
public final class Checks {
    private Checks() {}

    /** {@return the checks, in the order in which they are reported} */
    public static List<Check> all() {
        return List.of(
                new ServerCheck(),
                new AccessCheck(),
                new GuardCheck(),
                new ClockCheck(),
                new ClusterCheck(),
                new DesignCheck(),
                new IndexCheck(),
                new ConflictCheck(),
                new OwnerCheck(),
                new MalformedCheck(),
                new TimeCheck(),
                new TombstoneCheck());
    }

    /**
     * Returns the checks, and one more: whether the documents other than jobs follow the document protocol.
     *
     * @param schemas tells what is wrong with a document of a kind, such as {@code type} or {@code schedule}
     * @return the checks, in the order in which they are reported
     */
    public static List<Check> all(BiFunction<String, JsonNode, Optional<String>> schemas) {
        return Stream.concat(all().stream(), Stream.of(new DocumentsCheck(schemas)))
                .toList();
    }
}
