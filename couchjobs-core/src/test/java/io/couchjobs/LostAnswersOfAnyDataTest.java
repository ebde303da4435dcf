package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Lost;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Data that the database gives back as other JSON nodes than those that were written. */
@ServerTest
@NeedsOneCopy("a write whose answer was lost is confirmed by a second one")
class LostAnswersOfAnyDataTest {
    private Proxy proxy;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase own) {
        proxy = Proxy.before(own.server());
        queue = TestQueue.open(proxy.door(own));
    }

    @AfterEach
    void close() {
        queue.close();
        proxy.close();
    }

    static Stream<Object> values() {
        return Stream.of(
                0.1f,
                new byte[] {1, 2},
                new BigDecimal("0.12345678901234567890123"),
                object().putPOJO("at", Instant.EPOCH),
                List.of(1.5f, 0.7f));
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static JobRequest request(Object value) {
        return JobRequest.builder("email").id("1").data(Map.of("value", value)).build();
    }

    private Lost loseAnswer() {
        return proxy.loseAnswers(1, Proxy.Request::isBulkWrite);
    }

    @ParameterizedTest
    @MethodSource("values")
    void an_insert_whose_answer_was_lost_knows_its_own_job(Object value) {
        Lost answer = loseAnswer();
        assertThat(queue.insertIfNew(request(value))).isTrue();
        assertThat(answer.count()).isEqualTo(1);
        assertThat(queue.add(request(value)).outcome()).isEqualTo(AddResult.Outcome.UNCHANGED);
    }

    @ParameterizedTest
    @MethodSource("values")
    void a_finish_whose_answer_was_lost_knows_its_own_result(Object value) throws Exception {
        queue.add(request(value));
        ClaimedJob claim = queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0);
        Lost answer = loseAnswer();
        claim.finish(value);
        assertThat(answer.count()).isEqualTo(1);
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void an_instant_in_a_json_object_becomes_a_text_as_in_a_record() {
        JsonNode data = JobRequest.builder("email")
                .data(object().putPOJO("at", Instant.EPOCH))
                .build()
                .data();
        assertThat(data.path("at").asText()).isEqualTo("1970-01-01T00:00:00Z");
    }

    @Test
    void a_number_that_json_does_not_have_is_refused_in_a_json_object_too() {
        assertThatThrownBy(() -> JobRequest.builder("email")
                        .data(object().putPOJO("n", Double.NaN))
                        .build())
                .isInstanceOf(InvalidJobDataException.class);
    }
}
