package io.couchjobs.engine.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.admin.History;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worker that closes has its runs in the history. */
@ServerTest
@Timeout(120)
class HistoryOfAWorkerTest {
    @Test
    void each_run_of_a_worker_is_in_the_history_when_it_has_closed(TestDatabase database) throws Exception {
        Instant before = Instant.now().minus(Duration.ofMinutes(1));
        try (JobQueue queue = TestQueue.open(database)) {
            for (int i = 0; i < 20; i++) {
                queue.add(JobRequest.builder("email")
                        .id(String.valueOf(i))
                        .data(Map.of())
                        .build());
            }
            try (Worker worker = queue.worker()
                    .handler("email", (data, context) -> {
                        if (context.id().id().equals("13")) {
                            throw new PermanentJobException("never");
                        }
                        return null;
                    })
                    .untilEmpty()
                    .start()) {
                worker.awaitStopped();
            }

            History.Chart chart = queue.operations()
                    .history()
                    .read(before, Instant.now().plus(Duration.ofMinutes(1)), Duration.ofMinutes(1));

            History.Point email = chart.byType().get("email").total();
            assertThat(email.runs()).isEqualTo(20);
            assertThat(email.failures()).isEqualTo(1);
            assertThat(email.p95()).isNotNull();
            assertThat(chart.all().total().runs()).isEqualTo(20);
        }
    }
}
