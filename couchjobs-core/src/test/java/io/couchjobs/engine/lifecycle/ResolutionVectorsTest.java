package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import io.couchjobs.testing.Vectors;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The vectors of conflicts, which other clients use too, say what the classes decide. */
class ResolutionVectorsTest {
    @TestFactory
    Stream<DynamicTest> each_set_of_leaves_is_resolved_as_the_vectors_say() {
        return Vectors.of("resolution", "cases", ResolutionVectorsTest::resolved);
    }

    @TestFactory
    Stream<DynamicTest> each_confirmed_claim_is_alone_or_not_as_the_vectors_say() {
        return Vectors.of("rivals", "cases", ResolutionVectorsTest::standing);
    }

    private static JsonNode resolved(ObjectNode vector) {
        List<ObjectNode> leaves = leaves(vector);
        Collections.reverse(leaves); // their order does not matter
        Optional<String> confirmed =
                Optional.ofNullable(vector.get("confirmed")).map(JsonNode::asText);
        Resolution resolution = Resolution.of(
                leaves, confirmed, Instant.ofEpochMilli(vector.path("now").asLong()));
        ObjectNode expect = JsonNodeFactory.instance.objectNode();
        expect.put("verdict", resolution.verdict().name().toLowerCase(Locale.ROOT));
        expect.put("best", Resolution.best(leaves).flatMap(Job::rev).orElse(null));
        resolution.winner().ifPresent(winner -> expect.set("write", winner.toDocument()));
        List<ObjectNode> tombstones = resolution.tombstones();
        if (!tombstones.isEmpty()) {
            ArrayNode all = expect.putArray("tombstones");
            all.addAll(tombstones);
        }
        return expect;
    }

    private static JsonNode standing(ObjectNode vector) {
        ObjectNode claim = (ObjectNode) vector.path("claim");
        claim = claim.deepCopy();
        claim.remove("_revisions");
        Optional<List<ObjectNode>> rivals =
                Rivals.of(Job.parse(claim), vector.path("base").asText(), leaves(vector));
        ObjectNode expect = JsonNodeFactory.instance.objectNode();
        expect.put(
                "standing",
                rivals.map(some -> some.isEmpty() ? "alone" : "contested").orElse("unknown"));
        rivals.filter(some -> !some.isEmpty()).ifPresent(some -> {
            ArrayNode by = expect.putArray("by");
            some.forEach(rival -> by.add(rival.path("_rev").asText()));
        });
        return expect;
    }

    private static List<ObjectNode> leaves(ObjectNode vector) {
        List<ObjectNode> leaves = new ArrayList<>();
        vector.path("leaves").forEach(leaf -> leaves.add((ObjectNode) leaf));
        return leaves;
    }
}
