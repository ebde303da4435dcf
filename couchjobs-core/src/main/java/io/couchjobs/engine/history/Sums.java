package io.couchjobs.engine.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.worker.RunReport;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** The numbers of all types in some time. When there are many types, the last to come are summed up as one. Not thread-safe. */
final class Sums {
    /** No type has a colon in its name. */
    static final String OTHER = ":other";

    private static final int MOST_TYPES = 100;

    private final Map<String, TypeSums> byType = new TreeMap<>();

    static Sums of(JsonNode json) {
        Sums read = new Sums();
        json.properties().forEach(type -> read.type(type.getKey()).add(TypeSums.of(type.getValue())));
        return read;
    }

    ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        byType.forEach((type, sums) -> json.set(type, sums.toJson()));
        return json;
    }

    void add(RunReport run) {
        type(run.id().type()).add(run);
    }

    void add(Sums other) {
        other.byType.forEach((type, sums) -> type(type).add(sums));
    }

    void waiting(String type, long jobs) {
        type(type).waiting(jobs);
    }

    Map<String, TypeSums> byType() {
        return Collections.unmodifiableMap(byType);
    }

    /** The numbers of all types together. */
    TypeSums all() {
        TypeSums all = new TypeSums();
        byType.values().forEach(all::addBeside);
        return all;
    }

    private TypeSums type(String type) {
        int places = byType.containsKey(OTHER) ? MOST_TYPES + 1 : MOST_TYPES;
        boolean hasRoom = byType.size() < places || byType.containsKey(type);
        return byType.computeIfAbsent(hasRoom ? type : OTHER, fresh -> new TypeSums());
    }
}
