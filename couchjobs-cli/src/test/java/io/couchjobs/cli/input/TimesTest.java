package io.couchjobs.cli.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimesTest {
    private static final Instant NOW = Instant.parse("2030-06-01T12:00:00Z");

    private final Times times = new Times(() -> NOW, ZoneId.of("Europe/Berlin"));

    @ParameterizedTest
    @CsvSource({
        "2030-01-31T12:00:00Z,2030-01-31T12:00:00Z",
        "2030-01-31T12:00:00.250+02:00,2030-01-31T10:00:00.250Z",
        "2030-01-31T12:00,2030-01-31T11:00:00Z",
        "2030-07-01,2030-06-30T22:00:00Z",
        "1900000000,2030-03-17T17:46:40Z",
        "1900000000123,2030-03-17T17:46:40.123Z",
        "0,1970-01-01T00:00:00Z",
        "86400,1970-01-02T00:00:00Z",
        "99999999999,5138-11-16T09:46:39Z",
        "100000000000,1973-03-03T09:46:40Z",
        "+90s,2030-06-01T12:01:30Z",
        "+1d,2030-06-02T12:00:00Z"
    })
    void a_time_can_be_written_in_many_ways(String text, Instant time) {
        assertThat(times.parse(text)).isEqualTo(time);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "yesterday",
                "5m",
                "+",
                "+5",
                "99999999999999999999",
                "2030-13-01",
                "2030-02-30T00:00:00Z",
                "-5m"
            })
    void everything_else_is_refused_with_the_text_in_the_message(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> times.parse(text))
                .withMessageContaining("'" + text + "'");
    }

    @Test
    void in_json_a_time_is_a_string_or_a_number_and_zero_is_at_once() {
        assertThat(times.parse(new IntNode(0))).isEqualTo(Instant.EPOCH);
        assertThat(times.parse(new LongNode(1_900_000_000))).isEqualTo("2030-03-17T17:46:40Z");
        assertThat(times.parse(new LongNode(1_900_000_000_123L))).isEqualTo("2030-03-17T17:46:40.123Z");
        assertThat(times.parse(new TextNode("+1d"))).isEqualTo("2030-06-02T12:00:00Z");
    }
}
