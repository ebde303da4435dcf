package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.testing.EndlessHandler;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worker is closed while the server is away. */
@Timeout(120)
class ClosingWithoutServerTest {
    private final EmbeddedCouch couch = EmbeddedCouch.inMemory().port(0).start();

    @Test
    void a_run_whose_end_cannot_be_stored_ends_with_the_worker() throws Exception {
        BlockingQueue<RunReport> ended = new LinkedBlockingQueue<>();
        EndlessHandler endless = new EndlessHandler();
        try (JobQueue queue = JobQueue.builder(couch.url().resolve("/queue").toString())
                        .renewLeases(false)
                        .open();
                Worker worker = queue.worker()
                        .handler("email", endless)
                        .onRunEnded(ended::add)
                        .start()) {
            queue.add("email", Map.of());
            endless.awaitStart();
            couch.close();

            worker.close(Duration.ZERO);

            RunReport report = ended.poll(30, TimeUnit.SECONDS);
            assertThat(report).as("the run ends").isNotNull();
            assertThat(report.outcome()).isEqualTo(RunReport.Outcome.HALTED);
            worker.awaitStopped();
        }
    }
}
