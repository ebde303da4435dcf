package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.Faults;
import io.couchjobs.job.Job;
import io.couchjobs.testing.EndlessHandler;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.SteppedWorkers;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.JobContext;
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
        queue.types().setTimeout("email", TIMEOUT);
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

    @Test
    void a_handler_is_interrupted_in_time_while_the_server_does_not_tell_the_settings_of_its_type() throws Exception {
        queue.types().setTimeout("email", TIMEOUT);
        couch.faults().answer(1_000_000, LeasesUnderFaultsTest::isFeed, 503);
        EndlessHandler handler = new EndlessHandler();
        try (Worker worker = queue.worker().handler("email", handler).start()) {
            add("email", "1");
            handler.awaitStart();
            couch.faults().clear(); // and with the first answer of the feed all settings count as unknown
            couch.faults().answer(1_000_000, LeasesUnderFaultsTest::isRenewal, 503);
            Faults.Held asked = couch.faults().delay(1_000_000, r -> r.path().contains("/type"));
            assertThat(asked.awaitArrival(30)).isTrue();
            assertThat(handler.stopped(15)).contains(JobContext.StopReason.HALTED);
            couch.faults().clear();
            TestQueue.until(() -> worker.stats().halted() == 1);
        }
    }

    private static boolean isFeed(Faults.Request request) {
        return request.path().endsWith("/_changes");
    }

    private static boolean isRenewal(Faults.Request request) {
        return request.method().equals("PUT") && request.path().contains("/worker");
    }
}
