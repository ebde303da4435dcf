package io.couchjobs.engine.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.worker.RunReport;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The numbers of all types in a period. Beyond the first 100 types, all further types are summed up as one. Not
 * thread-safe.
 */
final class Sums {
    /** The name for all further types. No type has a colon in its name. */
    static final String OTHER = ":other";

    private static final int MOST_TYPES = 100;

    private final Map<String, TypeSums> byType = new TreeMap<>();

    static Sums of(JsonNode json) {
        Sums read = new Sums();
        json.properties().forEach(type -> read.sums(type.getKey()).add(TypeSums.of(type.getValue())));
        return read;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        byType.forEach((type, sums) -> json.set(type, sums.toJson()));
        return json;
    }

    void add(RunReport run) {
        sums(place(run.id().type())).add(run);
    }

    /** Adds the numbers of another period. */
    void add(Sums other) {
        Map<String, TypeSums> places = new TreeMap<>();
        other.byType.forEach((type, sums) ->
                places.computeIfAbsent(place(type), fresh -> new TypeSums()).addBeside(sums));
        places.forEach((place, sums) -> sums(place).add(sums));
    }

    /** Sets how many jobs of each type wait at one time. */
    void waiting(Map<String, Long> jobsByType) {
        Map<String, Long> places = new TreeMap<>();
        jobsByType.forEach((type, jobs) -> places.merge(place(type), jobs, Long::sum));
        places.forEach((place, jobs) -> sums(place).waiting(jobs));
    }

    Map<String, TypeSums> byType() {
        return Collections.unmodifiableMap(byType);
    }

    /** {@return the numbers of all types together} */
    TypeSums all() {
        TypeSums all = new TypeSums();
        byType.values().forEach(all::addBeside);
        return all;
    }

    /** Returns the name under which the numbers of a type are summed up. A new type gets a place of its own if one is left. */
    private String place(String type) {
        int places = byType.containsKey(OTHER) ? MOST_TYPES + 1 : MOST_TYPES;
        boolean hasRoom = byType.size() < places || byType.containsKey(type);
        String place = hasRoom ? type : OTHER;
        TypeSums unused = sums(place);
        return place;
    }

    private TypeSums sums(String place) {
        return byType.computeIfAbsent(place, fresh -> new TypeSums());
    }
}
