package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.*;
import io.couchjobs.worker.*;
import java.net.URI;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import org.junit.jupiter.api.*;

@SuppressWarnings({"try", "deprecation"})
class LeasesUnderFaultsTest {
    private EmbeddedCouch couch;
    private JobQueue queue;

    @BeforeEach
    void open() throws Exception {
        couch = EmbeddedCouch.inMemory().start();
        queue = another(Duration.ofSeconds(3));
    }

    @AfterEach
    void close() {
        couch.faults().clear();
        queue.close();
        couch.close();
    }

    private JobQueue another(Duration timeout) {
        return JobQueue.builder(URI.create(couch.url() + "jobs"))
                .defaultTimeout(timeout)
                .open();
    }

    private void add(String type, String id) {
        queue.add(JobRequest.builder(type).id(id).data(Map.of()).build());
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
