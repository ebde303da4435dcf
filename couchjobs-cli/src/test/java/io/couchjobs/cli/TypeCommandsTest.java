package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.junit.TestDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The settings of types: {@code types}, {@code type set}, {@code pause} and {@code resume}. */
@ServerTest
@Timeout(120)
class TypeCommandsTest {
    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase database) {
        shell = TestShell.at(database);
    }

    @Test
    void to_pause_a_type_that_has_no_jobs_warns_of_a_slip() {
        assertThat(done("pause", "emial").err())
                .contains("warning: there is no job of type emial yet; it is paused for the first one");
        done("enqueue", "email", "1");
        assertThat(done("pause", "email").err()).isEmpty();
    }

    @Test
    void the_reason_of_a_pause_is_shown_until_the_type_is_resumed() {
        done("enqueue", "email", "1");
        assertThat(done("pause", "email", "--reason", "the server moves").out()).contains("paused: the server moves");
        assertThat(done("types", "-o", "json")
                        .json()
                        .path(0)
                        .path("pauseReason")
                        .asText())
                .isEqualTo("the server moves");
        assertThat(done("explain", "email", "1").out()).contains("type email is paused: the server moves");
        assertThat(done("resume", "email", "-o", "json")
                        .json()
                        .path("pauseReason")
                        .isNull())
                .isTrue();
        assertThat(done("pause", "email", "-o", "json")
                        .json()
                        .path("pauseReason")
                        .isNull())
                .isTrue();
    }

    @Test
    void the_settings_of_a_type_are_shown_and_changed() {
        done("type", "set", "email", "--timeout", "5m", "--max-retries", "2", "--retry-delay", "1s");
        done("type", "set", "email", "--retry-jitter", "20%", "--max-retry-delay", "1m", "--retention", "7d");
        done("pause", "email");

        assertThat(done("types", "-o", "json").json())
                .hasToString("[{\"type\":\"email\",\"timeout\":300000,\"maxRetries\":2,\"retryDelay\":1000,"
                        + "\"maxRetryDelay\":60000,\"retryJitter\":0.2,"
                        + "\"paused\":true,\"pauseReason\":null,\"limit\":null,\"groupLimit\":null,\"rate\":null,\"maxQueued\":null,"
                        + "\"maxExpirations\":null,\"retention\":{\"time\":604800000},"
                        + "\"failureRetention\":{\"time\":2592000000}}]");
        assertThat(shell.run("type", "set", "email", "--retry-jitter", "120%").err())
                .contains("--retry-jitter", "'120%'");
        assertThat(done("resume", "email", "-o", "json").json().path("paused").asBoolean())
                .isFalse();
    }

    @Test
    void the_classes_of_a_type_are_set_shown_and_taken_back() {
        JsonNode set = done("type", "set", "email", "--classes", "urgent,", "-o", "json")
                .json();
        assertThat(set.path("classes")).hasToString("[\"\",\"urgent\"]");
        assertThat(done("types").out()).contains("CLASSES").contains("(no class),urgent");

        done("type", "set", "email", "--timeout", "5m");
        assertThat(done("types", "-o", "json").json().path(0).path("classes")).hasSize(2);
        done("type", "set", "email", "--classes", "default");
        assertThat(done("types", "-o", "json").json().path(0).has("classes")).isFalse();
        assertThat(done("types").out()).contains("all");
    }

    @Test
    void a_setting_of_a_type_goes_back_to_its_default_and_the_others_stay() {
        done("type", "set", "email", "--timeout", "5m", "--max-retries", "2", "--retry-delay", "1s");

        JsonNode timeout = done("type", "set", "email", "--timeout", "default", "-o", "json")
                .json();
        JsonNode retries = done("type", "set", "email", "--max-retries", "default", "-o", "json")
                .json();

        assertThat(timeout.path("timeout").isNull()).isTrue();
        assertThat(timeout.path("maxRetries").asInt()).isEqualTo(2);
        assertThat(retries.path("maxRetries").asInt()).isEqualTo(5);
        assertThat(retries.path("retryDelay").asInt()).isEqualTo(1_000);
    }

    @Test
    void the_limits_of_a_type_are_set_shown_and_cleared() {
        done("type", "set", "email", "--limit", "3", "--group-limit", "2", "--rate", "100/1m");
        done("type", "set", "email", "--max-queued", "50", "--max-expirations", "4");

        JsonNode set = done("types", "-o", "json").json().get(0);
        assertThat(set.path("limit").asInt()).isEqualTo(3);
        assertThat(set.path("groupLimit").asInt()).isEqualTo(2);
        assertThat(set.path("rate").asText()).isEqualTo("100/1m");
        assertThat(set.path("maxQueued").asInt()).isEqualTo(50);
        assertThat(set.path("maxExpirations").asInt()).isEqualTo(4);
        assertThat(done("types").out()).contains("running 3, per group 2, rate 100/1m, queued 50, expirations 4");
        JsonNode cleared = done("type", "set", "email", "--limit", "none", "--rate", "none", "-o", "json")
                .json();
        assertThat(cleared.path("limit").isNull()).isTrue();
        assertThat(cleared.path("rate").isNull()).isTrue();
        assertThat(cleared.path("groupLimit").asInt()).isEqualTo(2);
    }

    @Test
    void a_new_job_of_a_full_type_is_refused_and_a_batch_says_which() {
        done("type", "set", "email", "--max-queued", "1");
        done("enqueue", "email", "1");

        TestShell.Said said = shell.run("enqueue", "email", "2");

        assertThat(said.exitCode()).isEqualTo(4);
        assertThat(said.err()).contains("maxQueued 1", "email:2 was not added").hasLineCount(1);
        done("enqueue", "email", "1", "--in", "1h");
    }

    private TestShell.Said done(String... args) {
        TestShell.Said said = shell.run(args);
        assertThat(said.exitCode()).as(said.err()).isZero();
        return said;
    }
}
