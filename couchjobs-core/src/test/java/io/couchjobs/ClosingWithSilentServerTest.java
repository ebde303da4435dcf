package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.ProxiedQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A server that takes requests and does not answer. */
@ServerTest
class ClosingWithSilentServerTest extends ProxiedQueue {
    @Test
    void a_worker_waits_a_few_seconds_for_the_removal_of_its_registration() {
        Worker worker = queue.worker().handler("email", (data, context) -> null).start();
        Held removal = proxy.holdRequest(
                request -> request.isWriteOf("worker:") && request.body().contains("_deleted"));

        CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> worker.close(Duration.ZERO));

        assertThat(closing).succeedsWithin(Duration.ofSeconds(30));
        removal.release();
    }

    @Test
    void a_worker_waits_a_few_seconds_for_what_it_adds_to_the_history() throws Exception {
        Worker worker = queue.worker().handler("email", (data, context) -> null).start();
        Held numbers = proxy.holdRequest(request -> request.isWriteOf("stats:") && !request.isWriteOf("stats:worker:"));
        others.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        TestQueue.until(() -> worker.stats().succeeded() == 1);

        CompletableFuture<Void> closing = CompletableFuture.runAsync(worker::close);
        numbers.awaitArrival();

        assertThat(closing).succeedsWithin(Duration.ofSeconds(30));
        numbers.release();
    }
}
