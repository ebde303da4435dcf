package io.couchjobs.engine.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvironmentTest {

    /** Sleeping takes a whole millisecond before Java 21, each time. */
    @Test
    void a_glance_takes_less_than_a_millisecond_when_the_machine_has_time() throws InterruptedException {
        long shortest = Long.MAX_VALUE;
        for (int i = 0; i < 200; i++) {
            long began = System.nanoTime();
            Environment.REAL.pause(Duration.ofNanos(50_000));
            shortest = Math.min(shortest, System.nanoTime() - began);
        }
        assertThat(shortest).isBetween(50_000L, 999_999L);
    }

    @ParameterizedTest
    @ValueSource(longs = {50_000, 50_000_000_000L})
    void an_interrupted_thread_does_not_wait(long nanos) {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Environment.REAL.pause(Duration.ofNanos(nanos)))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
