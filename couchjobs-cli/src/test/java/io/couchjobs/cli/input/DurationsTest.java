package io.couchjobs.cli.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
    @ParameterizedTest
    @CsvSource({"500ms,PT0.5S", "30s,PT30S", "5m,PT5M", "2h,PT2H", "1d,P1D", "1h30m,PT1H30M", "0s,PT0S"})
    void a_number_and_a_unit_is_a_duration(String text, Duration duration) {
        assertThat(Durations.parse(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "5",
                "s",
                "-5s",
                "5 s",
                "5S",
                "1.5h",
                "5y",
                "99999999999999999999s",
                "1000001d",
                "999999999999d",
                "1d1"
            })
    void everything_else_is_refused_with_the_text_in_the_message(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.parse(text))
                .withMessageContaining("'" + text + "'");
    }

    @Test
    void a_text_of_any_length_is_refused_without_harm() {
        assertThatIllegalArgumentException().isThrownBy(() -> Durations.parse("1s".repeat(100_000)));
        assertThatIllegalArgumentException().isThrownBy(() -> Durations.parse("999999999999d".repeat(5_000)));
    }

    @Test
    void people_read_durations_in_the_largest_fitting_unit() {
        assertThat(Durations.format(Duration.ofMillis(999))).isEqualTo("999ms");
        assertThat(Durations.format(Duration.ofMillis(1_550))).isEqualTo("1.5s");
        assertThat(Durations.format(Duration.ofSeconds(5))).isEqualTo("5s");
        assertThat(Durations.format(Duration.ofMinutes(5))).isEqualTo("5m");
        assertThat(Durations.format(Duration.ofHours(24))).isEqualTo("24h");
        assertThat(Durations.format(Duration.ofDays(1000))).isEqualTo("1000d");
        assertThat(Durations.format(Duration.ofSeconds(125))).isEqualTo("2m5s");
        assertThat(Durations.format(Duration.ofMinutes(125))).isEqualTo("2h5m");
        assertThat(Durations.format(Duration.ofHours(73))).isEqualTo("3d1h");
    }
}
