package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.SteppedWorkers;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
@SuppressWarnings("try") // the worker is there to run
class LeaseInHandlersTest extends FaultyServer {
    private static final Duration TIMEOUT = Duration.ofHours(1);

    @Test
    void a_handler_can_tell_that_its_lease_is_over_before_anything_has_interrupted_it() throws Exception {
        queue.types().setTimeout("email", TIMEOUT);
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
            time.pass(TIMEOUT.minusMillis(1));
            assertThat(context.isLeaseOver()).isFalse();
            time.pass(Duration.ofMillis(2)); // no monitor frees the job yet
            assertThat(context.isLeaseOver()).isTrue();
            assertThat(context.stopReason()).as("looked for every 6 min").isEmpty();
            assertThat(worker.stats().running()).isEqualTo(1);
            end.countDown();
        }
    }

    /** Its monotonic clock stood still, and its time of day went on. */
    @Test
    void a_handler_is_interrupted_when_its_machine_was_suspended() throws Exception {
        queue.types().setTimeout("email", Duration.ofSeconds(3));
        AtomicReference<Instant> timeOfDay = new AtomicReference<>(Instant.now());
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<JobContext.StopReason> told = new CompletableFuture<>();
        try (SteppedWorkers time = new SteppedWorkers(queue, timeOfDay::get);
                Worker worker = time.worker()
                        .handler("email", (data, context) -> {
                            running.countDown();
                            try {
                                return new CompletableFuture<>().get();
                            } finally {
                                context.stopReason().ifPresent(told::complete);
                            }
                        })
                        .start()) {
            add("email", "1");
            assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
            time.pass(Duration.ofMillis(1));

            timeOfDay.updateAndGet(now -> now.plus(Duration.ofHours(8)));

            assertThat(told.get(10, TimeUnit.SECONDS)).isEqualTo(JobContext.StopReason.HALTED);
        }
    }
}
