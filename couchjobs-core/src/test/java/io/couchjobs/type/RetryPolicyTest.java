package io.couchjobs.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
    @Test
    void the_delay_doubles_up_to_the_longest() {
        RetryPolicy policy = new RetryPolicy(9, Duration.ofSeconds(30), Duration.ofMinutes(10));
        assertThat(policy.delayAfter(0)).isEqualTo(Duration.ofSeconds(30));
        assertThat(policy.delayAfter(3)).isEqualTo(Duration.ofMinutes(4));
        assertThat(policy.delayAfter(5)).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void twenty_million_failures_overflow_nothing() {
        for (int failure : new int[] {31, 40, 61, 62, 63, 64, 20_000_000, Integer.MAX_VALUE}) {
            assertThat(RetryPolicy.DEFAULT.delayAfter(failure)).isEqualTo(Duration.ofHours(12));
        }
    }

    @Test
    void a_delay_of_for_ever_is_long_and_overflows_nothing() {
        RetryPolicy policy =
                new RetryPolicy(1, Duration.ofMillis(Long.MAX_VALUE), Duration.ofSeconds(Long.MAX_VALUE), 1);
        for (int failure : new int[] {0, 1, 61, 62, 20_000_000}) {
            assertThat(policy.delayAfter(failure)).isEqualTo(Duration.ofDays(36_500));
            assertThat(policy.delayAfter(failure, 1)).isEqualTo(Duration.ofDays(36_500));
        }
    }

    @Test
    void jitter_makes_a_delay_longer_by_up_to_its_part() {
        RetryPolicy policy = RetryPolicy.DEFAULT.withJitter(0.5);
        assertThat(policy.delayAfter(1, 0)).isEqualTo(Duration.ofSeconds(60));
        assertThat(policy.delayAfter(1, 0.5)).isEqualTo(Duration.ofSeconds(75));
        assertThat(policy.delayAfter(1, 1)).isEqualTo(Duration.ofSeconds(90));
        assertThat(RetryPolicy.DEFAULT.delayAfter(1, 1)).isEqualTo(Duration.ofSeconds(60));
        for (double wrong : new double[] {-0.1, 1.1, Double.NaN}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RetryPolicy.DEFAULT.withJitter(wrong))
                    .withMessageContaining("jitter");
        }
    }

    @Test
    void a_first_delay_longer_than_the_longest_stays_as_it_is() {
        RetryPolicy policy = new RetryPolicy(1, Duration.ofHours(2), Duration.ofHours(1));
        assertThat(policy.delayAfter(0)).isEqualTo(Duration.ofHours(2));
        assertThat(policy.delayAfter(9)).isEqualTo(Duration.ofHours(2));
    }

    @Test
    void no_delay_stays_no_delay() {
        assertThat(new RetryPolicy(3, Duration.ZERO, Duration.ofHours(1)).delayAfter(7))
                .isEqualTo(Duration.ZERO);
    }
}
