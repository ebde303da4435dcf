package io.couchjobs.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkerInfoTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final List<WorkerInfo.OwnedJob> NOTHING = List.of();
    private static final List<WorkerInfo.OwnedJob> A_JOB =
            List.of(new WorkerInfo.OwnedJob(new JobId("email", "1"), "w", "2-a"));

    @Test
    void an_idle_worker_is_not_silent_for_minutes_whatever_it_ran_before() {
        assertThat(heardOf(Duration.ofMinutes(9), Duration.ofMinutes(5), NOTHING))
                .isFalse();
        assertThat(heardOf(Duration.ofMinutes(9), Duration.ofSeconds(20), NOTHING))
                .isFalse();
        assertThat(heardOf(Duration.ofMinutes(11), Duration.ofMinutes(5), NOTHING))
                .isTrue();
    }

    @Test
    void one_that_runs_jobs_is_silent_when_two_renewals_are_overdue() {
        assertThat(heardOf(Duration.ofSeconds(59), Duration.ofSeconds(20), A_JOB))
                .isFalse();
        assertThat(heardOf(Duration.ofSeconds(61), Duration.ofSeconds(20), A_JOB))
                .isTrue();
        assertThat(heardOf(Duration.ofMinutes(30), Duration.ofMinutes(20), A_JOB))
                .as("jobs with a timeout of an hour")
                .isFalse();
    }

    @Test
    void a_worker_that_is_not_registered_is_silent() {
        assertThat(new WorkerInfo("w", null, A_JOB).isSilent(NOW)).isTrue();
    }

    private static boolean heardOf(Duration ago, Duration next, List<WorkerInfo.OwnedJob> jobs) {
        WorkerInfo.Registered known =
                new WorkerInfo.Registered(NOW.minus(ago), NOW.minus(ago), 1, List.of("email"), next);
        return new WorkerInfo("w", known, jobs).isSilent(NOW);
    }
}
