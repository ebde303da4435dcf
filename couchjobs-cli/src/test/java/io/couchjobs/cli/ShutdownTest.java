package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Ctrl-C is answered while there is no worker. */
class ShutdownTest {
    private final List<String> said = new ArrayList<>();
    private final Shutdown shutdown = new Shutdown(said::add);

    @Test
    void the_first_two_Ctrl_C_before_the_worker_has_started_get_different_answers() {
        for (int i = 0; i < 3; i++) {
            shutdown.ask();
        }
        assertThat(said)
                .containsExactly(
                        "couchjobs: stopping when the worker has started; Ctrl-C again ends it within 5 s",
                        "couchjobs: ending within 5 s");
    }

    @Test
    void after_a_failed_start_no_worker_is_promised() {
        try (EmbeddedCouch couch =
                        EmbeddedCouch.inMemory().database("queue").port(0).start();
                JobQueue queue = JobQueue.open(couch.url() + "queue")) {
            assertThatThrownBy(() -> shutdown.start(queue.worker())).isInstanceOf(IllegalArgumentException.class);
        }
        shutdown.ask();
        assertThat(said)
                .containsExactly("couchjobs: ending, the worker could not start; Ctrl-C again ends it within 5 s");
    }
}
