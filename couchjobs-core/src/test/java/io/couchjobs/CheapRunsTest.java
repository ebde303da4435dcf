package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobRequest;
import io.couchjobs.worker.Worker;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A run is two writes, and no more. */
@Timeout(60)
class CheapRunsTest {
    private static final int JOBS = 150;

    @Test
    void the_feed_telling_of_a_finish_before_that_is_answered_makes_nobody_read_the_job() throws InterruptedException {
        Queue<String> reads = new ConcurrentLinkedQueue<>();
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().port(0).start();
                JobQueue queue = JobQueue.builder(couch.url().resolve("/queue").toString())
                        .renewLeases(false)
                        .open()) {
            List<JobRequest> jobs = Stream.generate(() -> JobRequest.of("email", Map.of()))
                    .limit(JOBS)
                    .toList();
            queue.addAll(jobs);
            couch.faults()
                    .answer(
                            1,
                            request -> {
                                if (request.method().equals("GET")
                                        && request.path().startsWith("/queue/job")) {
                                    reads.add(request.path());
                                }
                                return false;
                            },
                            500);

            try (Worker worker = queue.worker()
                    .concurrency(50)
                    .handler("email", (data, context) -> null)
                    .untilEmpty()
                    .start()) {
                worker.awaitStopped();
                assertThat(worker.stats().succeeded()).isEqualTo(JOBS);
            }
        }

        assertThat(reads).isEmpty();
    }
}
