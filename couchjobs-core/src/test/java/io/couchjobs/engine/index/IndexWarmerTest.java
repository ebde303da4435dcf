package io.couchjobs.engine.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.testing.HandMovedTime;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When the indexes are asked to be brought up to date after writes. The clock stands still but for the test. */
class IndexWarmerTest {
    private final HandMovedTime time = new HandMovedTime("");
    private int warmed;
    private final IndexWarmer warmer = new IndexWarmer(() -> warmed++, time);

    @AfterEach
    void close() {
        warmer.close();
    }

    @Test
    void half_a_minute_after_many_writes_they_are_asked_once() {
        warmer.wrote(600);
        warmer.wrote(600);
        time.pass(Duration.ofSeconds(29));
        assertThat(warmed).isZero();
        time.pass(Duration.ofSeconds(2));
        assertThat(warmed).isEqualTo(1);
        time.pass(Duration.ofMinutes(5));
        assertThat(warmed).isEqualTo(1);
    }

    @Test
    void after_few_writes_they_are_not() {
        warmer.wrote(20);
        time.pass(Duration.ofMinutes(5));
        assertThat(warmed).isZero();
    }

    @Test
    void while_writes_never_end_they_are_asked_now_and_then() {
        for (int second = 0; second < 70; second++) {
            warmer.wrote(1_000);
            time.pass(Duration.ofSeconds(1));
        }
        assertThat(warmed).isEqualTo(2);
    }

    @Test
    void a_process_that_ends_asks_at_once() {
        warmer.wrote(2_000);
        warmer.close();
        assertThat(warmed).isEqualTo(1);
    }
}
