package io.couchjobs.engine.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.JobData;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JsonLengthTest {
    /** What takes the most bytes, or is easily forgotten. */
    static Stream<ObjectNode> data() {
        return Stream.of(
                object(),
                object().put("\u0000\u001f", "\u0000".repeat(1_000)),
                object().put("quotes", "\"\\/\n\u2028\u20ac\ud83d\ude00"),
                object().put("a", true).putNull("b").put("c", -1.5e-300).put("d", Long.MIN_VALUE),
                object().put("huge", BigInteger.TEN.pow(500)).put("small", new BigDecimal("1e-400")),
                object().put("bytes", new byte[1_000]),
                object().putPOJO("time", Instant.EPOCH),
                object().set(
                                "list",
                                JsonNodeFactory.instance
                                        .arrayNode()
                                        .add(1)
                                        .add("")
                                        .addNull()),
                object().set("in", object().set("in", object())));
    }

    @ParameterizedTest
    @MethodSource("data")
    void json_never_has_more_bytes_than_estimated(ObjectNode data) {
        assertThat(JsonLength.mostBytes(data)).isGreaterThanOrEqualTo(JobData.bytes(data).length);
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }
}
