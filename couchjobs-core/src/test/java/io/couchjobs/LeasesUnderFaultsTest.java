package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.Job;
import io.couchjobs.job.Jobs;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

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

    @Test
    void workers_of_other_types_do_not_slow_a_queue_down() throws Exception {
        for (int i = 0; i < 10; i++) {
            queue.database().put(Jobs.json("{'_id':'worker:w" + i + "','types':['other']}"));
        }
        Worker worker =
                queue.worker().concurrency(1).handler("email", (d, c) -> null).start();
        add("email", "warm");
        TestQueue.finished(queue, "email", "warm");
        long worst = 0;
        long sum = 0;
        for (int i = 0; i < 20; i++) {
            long start = System.nanoTime();
            add("email", "j" + i);
            TestQueue.finished(queue, "email", "j" + i);
            long took = (System.nanoTime() - start) / 1_000_000;
            worst = Math.max(worst, took);
            sum += took;
        }
        worker.close();
        assertThat(sum / 20).as("mean ms from add to finish, worst " + worst).isLessThan(50);
    }
}
