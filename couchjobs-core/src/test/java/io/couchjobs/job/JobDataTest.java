package io.couchjobs.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.stream.Stream;
import kotlin.Pair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JobDataTest {
    /** Longer than Jackson reads by default. */
    static Stream<ObjectNode> longData() {
        return Stream.of(data("n".repeat(60_000), "a long name"), data("text", "t".repeat(21_000_000)));
    }

    @ParameterizedTest
    @MethodSource("longData")
    void all_data_that_could_be_written_can_be_read(ObjectNode data) throws IOException {
        assertThat(JobData.parse(JobData.bytes(data)).equals(data)).isTrue();
    }

    @Test
    void a_data_class_of_kotlin_is_bound() {
        JobType<Pair<String, Integer>> type = JobType.of("pair", new TypeReference<>() {});
        Pair<String, Integer> pair = new Pair<>("a", 1);
        ObjectNode data = JobRequest.of(type, pair).data();
        assertThat(data).isEqualTo(data("first", "a").put("second", 1));
        assertThat(type.bind(data)).isEqualTo(pair);
    }

    private static ObjectNode data(String name, String value) {
        return JsonNodeFactory.instance.objectNode().put(name, value);
    }
}
