package io.couchjobs.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.engine.couch.UrlPath;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Vectors;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The vectors of names, which other clients use too, say how the classes name documents. */
class IdVectorsTest {
    @TestFactory
    Stream<DynamicTest> a_type_and_an_id_make_the_document_of_the_vectors() {
        return Vectors.of("ids", "cases", IdVectorsTest::named);
    }

    @TestFactory
    Stream<DynamicTest> a_document_is_the_job_of_the_vectors() {
        return Vectors.of("ids", "documents", vector -> JobId.fromDocId(
                        vector.path("docId").asText())
                .map(id -> object().put("type", id.type()).put("id", id.id()))
                .orElseGet(() -> object().put("refused", true)));
    }

    @TestFactory
    Stream<DynamicTest> a_tick_has_the_job_of_the_vectors() {
        return Vectors.of("ids", "ticks", vector -> {
            ObjectNode document = Jobs.json("{'every':1000,'job':{'type':'report'}}")
                    .put("_id", "schedule:" + vector.path("schedule").asText());
            Instant tick = Instant.ofEpochMilli(vector.path("time").asLong());
            return TextNode.valueOf(Schedule.parse(document).request(tick).id().id());
        });
    }

    @TestFactory
    Stream<DynamicTest> a_chunk_of_a_log_has_the_document_of_the_vectors() {
        return Vectors.of("ids", "logs", vector -> {
            JobId job = JobId.fromDocId(vector.path("job").asText()).orElseThrow();
            Logs.Chunk.Line line = new Logs.Chunk.Line(vector.path("fence").asLong(), 1, Instant.EPOCH, "");
            return TextNode.valueOf(new Logs.Chunk(job, vector.path("number").asLong(), List.of(line), 0).docId());
        });
    }

    private static JsonNode named(ObjectNode vector) {
        try {
            JobId id = new JobId(vector.path("type").asText(), vector.path("id").asText());
            return object().put("docId", id.docId())
                    .put("path", UrlPath.ROOT.document(id.docId()).toString().substring(1));
        } catch (IllegalArgumentException refused) {
            return object().put("refused", true);
        }
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }
}
