package io.couchjobs.engine.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.JobId;
import io.couchjobs.job.Logs;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each chunk of a log is told once, however long the log is. */
class ToldChunksTest {
    private static final JobId JOB = new JobId("email", "1");
    private static final Instant BEGUN = Instant.parse("2026-03-01T10:00:00Z");

    private final ToldChunks told = new ToldChunks(3);

    @Test
    void a_long_log_has_only_a_few_chunks_remembered_and_no_chunk_is_new_again() {
        for (int number = 1; number <= 100; number++) {
            assertThat(told.add(chunk(number, BEGUN.plusSeconds(number)))).isTrue();
        }
        Instant lastForgotten = BEGUN.plusSeconds(97);
        assertThat(told.contains(chunk(0, lastForgotten))).isTrue();
        assertThat(told.contains(chunk(0, lastForgotten.plusMillis(1)))).isFalse();
        for (int number = 1; number <= 100; number++) {
            Logs.Chunk again = chunk(number, BEGUN.plusSeconds(number));
            assertThat(told.contains(again)).isTrue();
            assertThat(told.add(again)).isFalse();
        }
    }

    @Test
    void the_chunks_of_a_job_that_was_added_anew_are_new() {
        for (int number = 1; number <= 10; number++) {
            assertThat(told.add(chunk(number, BEGUN))).isTrue();
        }
        Instant anew = BEGUN.plusSeconds(1);
        assertThat(told.contains(chunk(1, anew))).isFalse();
        assertThat(told.add(chunk(1, anew))).isTrue();
        assertThat(told.add(chunk(1, anew))).isFalse();
    }

    private static Logs.Chunk chunk(long number, Instant at) {
        return new Logs.Chunk(JOB, number, List.of(new Logs.Chunk.Line(1, 1, at, "line " + number)), 0);
    }
}
