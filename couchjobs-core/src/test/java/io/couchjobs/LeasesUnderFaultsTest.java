package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.Job;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class LeasesUnderFaultsTest extends FaultyServer {
    LeasesUnderFaultsTest() {
        super(Duration.ofSeconds(3));
    }

    @Test
    void one_renewal_that_gets_no_answer_does_not_cost_the_leases() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        Worker worker = queue.worker()
                .concurrency(2)
                .handler("email", (d, c) -> {
                    runs.incrementAndGet();
                    TestQueue.work(8000);
                    return null;
                })
                .start();
        couch.faults().delay(1, r -> r.method().equals("PUT") && r.path().contains("/worker"));
        add("email", "1");
        Job job = TestQueue.finished(queue, "email", "1");
        couch.faults().clear();
        worker.close();
        assertThat(runs.get()).as("runs; " + job.errors()).isEqualTo(1);
    }
}
