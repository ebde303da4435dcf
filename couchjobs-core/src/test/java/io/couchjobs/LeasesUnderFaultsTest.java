package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.Faults;
import io.couchjobs.job.Job;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class LeasesUnderFaultsTest extends FaultyServer {
    private static final Duration TIMEOUT = Duration.ofMillis(1500);

    @Test
    void one_renewal_that_gets_no_answer_does_not_cost_the_leases() throws Exception {
        queue.setTypeTimeout("email", TIMEOUT);
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch end = new CountDownLatch(1);
        try (SteppedWorkers time = new SteppedWorkers(queue);
                Worker worker = time.worker()
                        .concurrency(2)
                        .handler("email", (d, c) -> {
                            runs.incrementAndGet();
                            end.await();
                            return null;
                        })
                        .start()) {
            AtomicInteger unanswered = new AtomicInteger();
            couch.faults().delay(1, r -> isRenewal(r) && unanswered.incrementAndGet() == 1);
            add("email", "1");
            TestQueue.until(() -> unanswered.get() > 0);
            time.outlast(TIMEOUT, worker);
            couch.faults().clear();
            end.countDown();
            Job job = TestQueue.finished(queue, "email", "1");
            assertThat(runs.get()).as("runs; " + job.errors()).isEqualTo(1);
        }
    }

    private static boolean isRenewal(Faults.Request request) {
        return request.method().equals("PUT") && request.path().contains("/worker");
    }
}
