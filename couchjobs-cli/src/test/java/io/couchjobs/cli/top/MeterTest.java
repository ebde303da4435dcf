package io.couchjobs.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.couchjobs.job.Job;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class MeterTest {
    private long seconds;
    private final Meter meter = new Meter(() -> seconds * 1_000_000_000L);

    @Test
    void runs_that_ended_are_counted_by_the_second_and_told_when_it_is_over() throws IOException {
        meter.note(job("1", "success", "finished", 1_000));
        meter.note(job("2", "failed", "finished", 1_001));
        meter.note(job("3", "stuck", "failed", 1_002));
        meter.note(job("4", "cancelled", "finished", 1_003));
        meter.note(job("5", "waiting", "created", 1_004));
        assertThat(meter.rates().history()).isEmpty();

        seconds = 1;
        assertThat(meter.rates().history()).containsExactly(3L);
        assertThat(meter.rates().succeeded()).isEqualTo(1);

        seconds = 4;
        assertThat(meter.rates().history()).containsExactly(3L, 0L, 0L, 0L);
        assertThat(meter.rates().failed()).isEqualTo(0.25);

        seconds = 10;
        assertThat(meter.rates().retried()).isZero();
        seconds = 1_000;
        assertThat(meter.rates().history()).hasSize(Meter.SECONDS).containsOnly(0L);
    }

    @Test
    void a_failure_told_twice_counts_once_and_a_later_run_of_the_same_job_counts_again() throws IOException {
        meter.note(job("1", "stuck", "failed", 1_000));
        meter.note(job("1", "stuck", "failed", 1_000));
        meter.note(job("1", "stuck", "failed", 900));
        meter.note(job("1", "success", "finished", 2_000));

        seconds = 1;
        assertThat(meter.rates().history()).containsExactly(2L);
    }

    @Test
    void ends_of_a_job_that_are_told_again_in_turn_count_once_each() throws IOException {
        for (int end : new int[] {50, 100, 50, 100}) {
            meter.note(job("1", "stuck", "failed", end));
        }

        seconds = 1;
        assertThat(meter.rates().history()).containsExactly(2L);
    }

    private static Job job(String id, String status, String moment, long at) throws IOException {
        return Job.parse(new JsonMapper()
                .readTree("{\"_id\":\"job:email:" + id + "\",\"status\":\"" + status + "\",\"times\":{\"" + moment
                        + "\":" + at + "}}"));
    }
}
