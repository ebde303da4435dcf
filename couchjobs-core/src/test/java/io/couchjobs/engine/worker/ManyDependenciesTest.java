package io.couchjobs.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.SimulatedCluster;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.TestQueue;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many jobs that wait for one: they are read, judged and let go together. */
@Timeout(120)
class ManyDependenciesTest {
    private static final JobId FIRST = new JobId("email", "first");
    /** After a hundred more a process has its indexes updated some time later, and that costs requests too. */
    private static final int MANY = 900;

    @Test
    void many_held_jobs_cost_a_few_requests_for_each_hundred_of_them() {
        AtomicInteger requests = new AtomicInteger();
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                JobQueue queue = JobQueue.builder(couch.url() + "jobs")
                        .renewLeases(false)
                        .open()) {
            hold(queue, MANY);
            couch.faults().answer(1, request -> requests.incrementAndGet() < 0, 500);
            try (Dependencies held = TestDependencies.of(queue)) {
                held.settle();
                assertThat(requests.get()).as("while they wait").isBetween(5, 45);
                assertThat(queue.types().pendingCount("email", Instant.now(), MANY))
                        .isOne();

                requests.set(0);
                end(queue);
                held.settle();
                assertThat(requests.get()).as("when they are let go").isBetween(15, 65);
            }
            assertThat(queue.types().pendingCount("email", Instant.now(), 2 * MANY))
                    .isEqualTo(MANY);
        }
    }

    @Test
    void on_a_cluster_each_hundred_of_them_cost_a_few_requests_more() {
        try (SimulatedCluster cluster = SimulatedCluster.start(3, 4);
                JobQueue queue = JobQueue.builder(cluster.urls().get(0).resolve("/jobs"))
                        .renewLeases(false)
                        .open()) {
            hold(queue, 250);
            end(queue);
            long before = queue.database().server().requestCount();
            try (Dependencies held = TestDependencies.of(queue)) {
                held.settle();
            }
            assertThat(queue.database().server().requestCount() - before).isBetween(9L, 40L);
            assertThat(queue.types().pendingCount("email", Instant.now(), 1_000))
                    .isEqualTo(250);
        }
    }

    @Test
    void they_are_found_a_page_at_a_time_and_after_a_trouble_from_where_it_stopped() throws Exception {
        AtomicInteger pages = new AtomicInteger();
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                JobQueue queue = JobQueue.builder(couch.url() + "jobs")
                        .renewLeases(false)
                        .open()) {
            hold(queue, 2_500);
            end(queue);
            couch.faults().answer(1, request -> request.path().endsWith("/held") && pages.incrementAndGet() == 2, 400);
            try (Dependencies held = TestDependencies.of(queue)) {
                held.start();
                TestQueue.until(() -> queue.types().pendingCount("email", Instant.now(), 5_000) == 2_500);
            }
            assertThat(pages).hasValue(3);
        }
    }

    private static void hold(JobQueue queue, int many) {
        queue.operations().init();
        queue.add(JobRequest.builder("email").id("first").data(Map.of()).build());
        List<JobRequest> others = IntStream.range(0, many)
                .mapToObj(i -> JobRequest.builder("email")
                        .id("after" + i)
                        .data(Map.of())
                        .after(FIRST)
                        .build())
                .toList();
        queue.addAll(others).forEach(added -> assertThat(added.outcome()).isEqualTo(AddResult.Outcome.ADDED));
    }

    private static void end(JobQueue queue) {
        ObjectNode first = queue.database().get(FIRST.docId()).orElseThrow();
        queue.database().put(first.put("status", "success"));
    }
}
