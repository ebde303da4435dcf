package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.testing.Vectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The vectors of probes, which other clients use too, say where the classes look for a majority. */
class ProbeVectorsTest {
    @TestFactory
    Stream<DynamicTest> each_document_has_the_probe_of_its_part() {
        return Vectors.of("probes", "cases", vector -> {
            int shards = vector.path("q").asInt();
            int part = MajorityProbe.partOf(vector.path("id").asText(), shards);
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("part", part)
                    .put("probe", MajorityProbe.probeOf(part, shards));
        });
    }
}
