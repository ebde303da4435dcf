package io.couchjobs.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.testing.Deep;
import io.couchjobs.testing.Jobs;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobRequestTest {
    record Email(String to, Instant when) {}

    static List<Object> notObjects() {
        return List.of("text", 7, true, List.of(1), new int[] {1});
    }

    @ParameterizedTest
    @MethodSource("notObjects")
    void data_must_be_a_json_object(Object data) {
        assertThatThrownBy(() -> JobRequest.of("email", data))
                .isInstanceOf(InvalidJobDataException.class)
                .hasMessageContaining("JSON object");
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 1500, 100_000})
    void data_must_not_be_nested_too_deeply(int levels) {
        for (Object data : List.of(Map.of("x", Deep.list(levels - 1)), Jobs.nested(levels))) {
            assertThatThrownBy(() -> JobRequest.of("email", data))
                    .isInstanceOf(InvalidJobDataException.class)
                    .hasMessage("data is nested too deeply: a job has at most 500 levels, its document included");
        }
    }

    @Test
    void data_is_required() {
        assertThatThrownBy(() -> JobRequest.builder("email").build()).isInstanceOf(InvalidJobDataException.class);
    }

    @Test
    void data_that_jackson_cannot_write_is_refused() {
        assertThatThrownBy(() -> JobRequest.of("email", new Object())).isInstanceOf(InvalidJobDataException.class);
    }

    @Test
    void records_go_in_and_come_out() {
        Email email = new Email("ada", Instant.parse("2026-01-02T03:04:05Z"));
        assertThat(JobRequest.of("email", email).data().path("when").asText()).isEqualTo("2026-01-02T03:04:05Z");
        assertThat(JobData.bind(JobRequest.of("email", email).data(), Email.class))
                .isEqualTo(email);
    }

    @Test
    void data_that_does_not_fit_the_class_is_named() {
        assertThatThrownBy(() -> JobData.bind(Jobs.json("{'when':'soon'}"), Email.class))
                .isInstanceOf(InvalidJobDataException.class)
                .hasMessageContaining("Email")
                .hasMessageContaining("soon");
    }

    @Test
    void all_problems_are_named_at_once() {
        assertThatThrownBy(() -> JobRequest.builder("email")
                        .data(Map.of())
                        .priority(100)
                        .maxRetries(-1)
                        .id("1")
                        .tracker("t")
                        .correlationId("")
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("100")
                .hasMessageContaining("-1")
                .hasMessageContaining("correlationId must not be empty")
                .hasMessageContaining("tracker");
    }

    @Test
    void a_tracker_decides_the_id_and_without_both_it_is_random() {
        JobRequest tracked = JobRequest.builder("email")
                .data(Map.of())
                .tracker("welcome-ada")
                .build();
        assertThat(tracked.id()).isEqualTo(new JobId("email", "tracker:welcome-ada"));
        assertThat(JobRequest.of("email", Map.of()).id())
                .isNotEqualTo(JobRequest.of("email", Map.of()).id());
    }

    @Test
    void a_request_does_not_change_with_what_it_was_made_of() {
        var data = Jobs.json("{'n':1}");
        JobRequest request = JobRequest.of("email", data);
        data.put("n", 2);
        request.data().put("n", 3);
        assertThat(request.data().path("n").asInt()).isEqualTo(1);
    }

    @Test
    void a_tag_that_is_null_is_left_out_as_other_texts_are() {
        ObjectNode document = new ObjectMapper().createObjectNode();
        JobRequest.builder("email").data(Map.of()).group(null).tag(null).build().writeTo(document);
        assertThat(document.has("tags")).isFalse();
        assertThat(document.has("group")).isFalse();
    }

    @Test
    void a_job_that_is_to_wait_for_itself_is_refused() {
        JobRequest.Builder request = JobRequest.builder("mail").id("a").data(Map.of());
        assertThatThrownBy(() -> request.after(new JobId("mail", "a")).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("after must name other jobs: a");
    }

    @Test
    void a_job_that_is_to_wait_for_null_is_refused() {
        assertThatThrownBy(() ->
                        JobRequest.builder("email").data(Map.of()).after(null).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("after");
    }
}
