package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class LeaseInHandlersTest extends FaultyServer {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    @Test
    void a_handler_can_tell_that_its_lease_is_over_before_anything_has_interrupted_it() throws Exception {
        queue.setTypeTimeout("email", TIMEOUT);
        CompletableFuture<JobContext> running = new CompletableFuture<>();
        CountDownLatch end = new CountDownLatch(1);
        try (SteppedWorkers time = new SteppedWorkers(queue);
                Worker worker = time.worker()
                        .handler("email", (data, context) -> {
                            running.complete(context);
                            end.await();
                            return null;
                        })
                        .start()) {
            add("email", "1");
            JobContext context = running.get(30, TimeUnit.SECONDS);
            time.pass(TIMEOUT.minusSeconds(1));
            assertThat(context.isLeaseOver()).isFalse();
            time.pass(Duration.ofSeconds(2));
            assertThat(context.isLeaseOver()).isTrue();
            assertThat(context.stopReason()).as("looked for every 6 s").isEmpty();
            assertThat(worker.stats().running()).isEqualTo(1);
            end.countDown();
        }
    }
}
