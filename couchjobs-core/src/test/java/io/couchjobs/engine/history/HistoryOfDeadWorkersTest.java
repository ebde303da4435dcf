package io.couchjobs.engine.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The runs of workers that close, die, or start again under their id count once. */
@ServerTest
@Timeout(120)
class HistoryOfDeadWorkersTest extends PlayedHistory {
    @Test
    void a_killed_worker_takes_along_only_the_minute_that_was_not_over() throws Exception {
        workers.run("a", "email", 7);
        workers.pass(MINUTE);
        workers.run("a", "email", 5);
        workers.write("a");
        workers.kill("a");

        workers.collect("b");

        assertThat(workers.total("email", HOUR).runs()).isEqualTo(7);
    }

    @Test
    void the_minutes_of_a_worker_that_crashed_count_once_though_it_was_started_again_under_its_id() throws Exception {
        workers.run("a", "email", 7);
        workers.pass(MINUTE);
        workers.write("a");
        workers.collect("b");
        workers.run("a", "email", 5);
        workers.pass(MINUTE);
        workers.write("a");
        workers.kill("a");

        workers.run("a", "email", 3);
        workers.pass(MINUTE);
        workers.write("a");
        workers.collect("b");

        awaitRuns(15);
    }

    @Test
    void a_worker_that_closes_leaves_nothing_out_and_no_document() {
        workers.run("a", "email", 7);
        workers.pass(MINUTE);
        workers.write("a");
        workers.collect("b");
        workers.run("a", "email", 5);
        assertThat(workers.workers()).hasSize(1);

        workers.close("a");

        assertThat(workers.total("email", HOUR).runs()).isEqualTo(12);
        assertThat(workers.workers()).isEmpty();
    }

    @Test
    void a_worker_that_starts_again_with_its_id_is_counted_anew() throws Exception {
        for (int start = 1; start <= 3; start++) {
            int runs = start;
            workers.run("a", "email", 1);
            workers.pass(MINUTE);
            workers.write("a");
            TestQueue.until(() -> workers.total("email", HOUR).runs() == runs); // every copy has heard of it
            workers.collect("b");
            workers.kill("a");
        }
        assertThat(workers.total("email", HOUR).runs()).isEqualTo(3);
    }

    @Test
    void the_history_of_a_dead_worker_is_taken_in_by_a_sweep_even_when_its_hour_was_summed_up() throws Exception {
        workers.run("a", "email", 8);
        workers.pass(MINUTE);
        workers.write("a");
        workers.kill("a");
        workers.run("b", "email", 1);
        workers.close("b");
        workers.pass(Duration.ofHours(3));

        workers.tidy();
        workers.tidy();

        assertThat(runsByHour()).isEqualTo(9);
        assertThat(workers.workers()).isEmpty();
    }

    @Test
    void a_worker_writes_on_after_a_sweep_took_its_document_away() {
        workers.run("a", "email", 1);
        workers.pass(MINUTE);
        workers.write("a");
        workers.pass(Duration.ofHours(2));
        workers.tidy();
        assertThat(workers.workers()).isEmpty();

        workers.run("a", "email", 1);
        workers.pass(MINUTE);
        workers.write("a");

        workers.collect("b");
        assertThat(workers.total("email", Duration.ofHours(3)).runs()).isEqualTo(2);
    }
}
