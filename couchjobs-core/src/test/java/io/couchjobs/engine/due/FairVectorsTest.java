package io.couchjobs.engine.due;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.index.LaneKey;
import io.couchjobs.job.Job;
import io.couchjobs.job.Strategy;
import io.couchjobs.testing.Vectors;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The vectors of turns between groups, which other clients use too, say in which order the classes take jobs. */
class FairVectorsTest {
    @TestFactory
    Stream<DynamicTest> groups_take_turns_as_the_vectors_say() {
        return Vectors.of("fair", "cases", FairVectorsTest::order);
    }

    private static JsonNode order(ObjectNode vector) {
        Instant now = Instant.ofEpochMilli(vector.path("now").asLong());
        FairRound round = new FairRound(Strategy.fair(
                vector.path("scheme").path(0).asInt(),
                vector.path("scheme").path(1).asInt()));
        if (vector.has("after")) {
            round.after(vector.path("after").asText());
        }
        List<Job> due = StreamSupport.stream(vector.path("jobs").spliterator(), false)
                .map(Job::parse)
                .filter(job -> !job.scheduledTime().isAfter(now))
                .toList();
        Pool pool = new KnownPool(due, LaneKey.Order.TURNS);
        ArrayNode order = JsonNodeFactory.instance.arrayNode();
        round.choose(Map.of("email", pool), now, vector.path("max").asInt(), FairRoundTest.STRICT)
                .jobs()
                .forEach(job -> order.add(job.id().id()));
        return order;
    }
}
