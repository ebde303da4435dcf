package io.couchjobs.job;

import static io.couchjobs.testing.Jobs.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.testing.Jobs;
import io.couchjobs.type.RetryPolicy;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers that have grown for years. */
class ManyRetriesTest {
    private static final RetryPolicy FOR_EVER = RetryPolicy.DEFAULT.withMaxRetries(Integer.MAX_VALUE);

    @ParameterizedTest
    @ValueSource(ints = {20_000_000, Integer.MAX_VALUE - 1, Integer.MAX_VALUE})
    void a_job_that_failed_millions_of_times_fails_as_ever(int attempts) {
        Job job = Jobs.job("'status':'stuck','_rev':'40000000-a','attempt':" + attempts
                + ",'fence':40000000,'data':{},'scheduledTime':1");
        for (int i = 0; i < 25; i++) {
            Job running =
                    Transitions.claim(job, "t" + i, "w", true, NOW).write().orElseThrow();
            JobError error = new JobError(running.attempt(), NOW, JobError.Kind.FAILED, "boom " + i, null);
            job = Transitions.fail(running, error, FOR_EVER, false, NOW.plusSeconds(5))
                    .write()
                    .orElseThrow();
            assertThat(job.status()).isEqualTo(JobStatus.STUCK);
            assertThat(job.attempt()).isGreaterThanOrEqualTo(attempts);
            assertThat(job.scheduledTime()).isEqualTo(NOW.plus(Duration.ofHours(12)));
        }
        assertThat(job.errors()).hasSize(Job.MAX_ERRORS);
        assertThat(job.errors().get(Job.MAX_ERRORS - 1).message()).isEqualTo("boom 24");
    }

    @ParameterizedTest
    @ValueSource(ints = {20_000_000, Integer.MAX_VALUE})
    void a_job_whose_owners_died_millions_of_times_waits_as_ever(int expirations) {
        Job running = Jobs.job("'status':'running','_rev':'3-a','attempt':" + expirations + ",'expirations':"
                + expirations + ",'data':{},'lock':{'token':'t','worker':'w','since':1}");
        Job waiting =
                Transitions.expire(running, OptionalInt.empty(), NOW).write().orElseThrow();
        assertThat(waiting.status()).isEqualTo(JobStatus.WAITING);
        assertThat(waiting.expirations()).isGreaterThanOrEqualTo(expirations);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, 36_500L * 24 * 3600 * 1000 + 1})
    void a_retry_delay_of_for_ever_is_a_time_that_a_job_can_have(long millis) {
        Job running = Jobs.inStatus(JobStatus.RUNNING);
        JobError error = new JobError(1, NOW, JobError.Kind.FAILED, "boom", null);
        RetryPolicy policy = new RetryPolicy(9, Duration.ofMillis(millis), Duration.ofMillis(millis));
        Job stuck = Transitions.fail(running, error, policy, false, NOW).write().orElseThrow();
        assertThat(stuck.scheduledTime()).isAfter(NOW.plus(Duration.ofDays(36_000)));
    }
}
