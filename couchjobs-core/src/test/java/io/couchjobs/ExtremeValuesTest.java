package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.admin.History;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobType;
import io.couchjobs.job.Strategy;
import io.couchjobs.scope.ScopeConfig;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.RetryPolicy;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Times, durations and numbers at the end of what Java has. */
@ServerTest
class ExtremeValuesTest extends OpenQueue {
    private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE);
    private static final JobType<Object> EMAIL = JobType.of("email", Object.class);

    private void addNowAndIn2100() {
        queue.add("email", Map.of());
        queue.add(JobRequest.builder("email")
                .data(Map.of())
                .scheduledTime(Instant.parse("2100-01-01T00:00:00Z"))
                .build());
    }

    @Test
    void pending_jobs_are_counted_until_the_last_instant_and_until_the_first() throws Exception {
        addNowAndIn2100();
        TestQueue.until(() -> queue.types().pendingCount("email", Instant.MAX, 10) == 2);
        assertThat(queue.types().pendingCount("email", Instant.MIN, 10)).isZero();
    }

    @Test
    void jobs_of_any_time_are_accepted_up_to_the_last_instant() throws Exception {
        addNowAndIn2100();
        AcceptOptions any =
                AcceptOptions.of("email").maxScheduledTime(Instant.MAX).max(10).timeout(Duration.ofSeconds(20));
        List<ClaimedJob> claimed = new ArrayList<>();
        TestQueue.until(() -> {
            claimed.addAll(queue.accept(any));
            return claimed.size() == 2;
        });
        AcceptOptions atOnce = any.timeout(Duration.ZERO);
        assertThat(queue.accept(atOnce)).isEmpty();
        assertThat(queue.accept(atOnce.maxScheduledTime(Instant.MIN))).isEmpty();
    }

    @Test
    void the_jobs_of_any_time_are_accepted_by_turns_though_they_are_more_than_a_worker_keeps_in_mind()
            throws Exception {
        Instant start = Instant.parse("2100-01-01T00:00:00Z");
        queue.addAll(IntStream.range(0, 1500)
                .mapToObj(i -> JobRequest.builder("email")
                        .data(Map.of())
                        .group("g" + i % 3)
                        .scheduledTime(start.plusSeconds(i))
                        .build())
                .toList());
        AcceptOptions any = AcceptOptions.of("email")
                .maxScheduledTime(Instant.MAX)
                .max(10)
                .strategy(Strategy.fair(1, 1))
                .timeout(Duration.ofSeconds(20));
        List<ClaimedJob> claimed = new ArrayList<>();
        TestQueue.until(() -> {
            claimed.addAll(queue.accept(any));
            return claimed.size() >= 20;
        });
    }

    @Test
    void a_history_up_to_the_last_instant_is_refused_as_too_many_points() {
        History history = queue.operations().history();
        Instant now = Instant.now();
        Duration hour = Duration.ofHours(1);
        assertThatThrownBy(() -> history.read(now, Instant.MAX, hour))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("points are too many");
        assertThatThrownBy(() -> history.read(Instant.MIN, now, hour))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("points are too many");
        assertThat(history.read(Instant.MAX, now, hour).all().points()).isEmpty();
    }

    @Test
    void a_type_refuses_a_timeout_beyond_1000_days_as_its_settings_do() {
        for (Duration tooLong : List.of(LONGEST, Duration.ofDays(1000).plusHours(1))) {
            assertThatThrownBy(() -> EMAIL.withTimeout(tooLong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("timeout must be from 1 ms to 1000 days");
        }
        assertThat(EMAIL.withTimeout(Duration.ofDays(1000)).timeout()).contains(Duration.ofDays(1000));
    }

    @Test
    void a_type_refuses_a_retention_beyond_36500_days_as_its_settings_do() {
        for (Duration tooLong : List.of(LONGEST, Duration.ofDays(36_500).plusHours(1))) {
            assertThatThrownBy(() -> EMAIL.withRetention(tooLong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("retention must be from 1 s to 36500 days");
        }
        assertThat(EMAIL.withRetention(Duration.ofDays(36_500)).retention()).contains(Duration.ofDays(36_500));
    }

    @Test
    void retry_delays_beyond_36500_days_are_stored_as_36500_days() {
        RetryPolicy stored = TypeSettings.none("email")
                .withRetryPolicy(new RetryPolicy(3, LONGEST, LONGEST))
                .retryPolicy();
        assertThat(stored).isEqualTo(new RetryPolicy(3, Duration.ofDays(36_500), Duration.ofDays(36_500)));
    }

    @Test
    void the_default_queue_limit_of_a_billion_jobs_at_once_is_the_largest_number() {
        assertThat(ScopeConfig.DEFAULTS.concurrency(1_000_000_000).queueLimit()).isEqualTo(Integer.MAX_VALUE);
        assertThat(ScopeConfig.DEFAULTS.concurrency(7).queueLimit()).isEqualTo(21);
    }
}
