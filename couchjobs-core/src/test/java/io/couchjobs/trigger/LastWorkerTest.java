package io.couchjobs.trigger;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SourceDatabases;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@ServerTest
class LastWorkerTest {
    @Test
    void a_queue_that_is_closed_while_its_last_worker_closes_lets_go_of_its_triggers(TestDatabase database)
            throws Exception {
        try (JobQueue others = TestQueue.open(database);
                SourceDatabases sources = new SourceDatabases(database, others)) {
            others.triggers()
                    .put(Trigger.named("mails")
                            .source(sources.create("orders").name())
                            .type("mail")
                            .build());
            for (int i = 0; i < 5; i++) {
                JobQueue ending = TestQueue.open(database);
                Worker last = ending.worker()
                        .handler("other", (data, context) -> null)
                        .start();
                TestQueue.until(() -> status(others).equals(Optional.of(JobStatus.RUNNING)));

                CompletableFuture<Void> closing = CompletableFuture.runAsync(last::close);
                last.awaitStopped();
                ending.close();
                closing.get(1, TimeUnit.MINUTES);

                assertThat(status(others)).contains(JobStatus.WAITING);
            }
        }
    }

    private static Optional<JobStatus> status(JobQueue queue) {
        return queue.get("couchjobs-trigger", "mails").map(Job::status);
    }
}
