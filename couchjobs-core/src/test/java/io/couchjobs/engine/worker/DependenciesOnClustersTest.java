package io.couchjobs.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.embedded.SimulatedCluster;
import io.couchjobs.engine.document.Tombstone;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An end of a job that may be undone lets nobody go who waits for it. */
@Timeout(120)
class DependenciesOnClustersTest {
    private static final JobId FIRST = new JobId("email", "first");

    private final SimulatedCluster cluster = SimulatedCluster.start(3, 4);
    private final JobQueue queue = JobQueue.builder(cluster.urls().get(1).resolve("/jobs"))
            .renewLeases(false)
            .open();

    @BeforeEach
    void hold() {
        queue.operations().init();
        queue.add(JobRequest.builder("email").id("first").data(Map.of()).build());
        queue.add(JobRequest.builder("email")
                .id("last")
                .data(Map.of())
                .after(FIRST)
                .build());
    }

    @AfterEach
    void close() {
        queue.close();
        cluster.close();
    }

    @Test
    void a_held_job_is_not_let_go_by_what_a_minority_shows() throws Exception {
        try (Dependencies held = TestDependencies.of(queue)) {
            cluster.stop(0);
            cluster.stop(2);
            end(queue);
            assertThatThrownBy(held::settle)
                    .isInstanceOf(CouchJobsException.class)
                    .hasMessageContaining("majority");
            assertThat(isHeld(queue)).isTrue();
            cluster.start(0);
            cluster.start(2);
            TestQueue.until(() -> {
                held.settle();
                return !isHeld(queue);
            });
        }
    }

    @Test
    void a_held_job_is_not_let_go_by_an_end_that_is_in_conflict_with_another_run() throws Exception {
        ObjectNode running = document(queue);
        end(queue);
        end(queue);
        replicate(running.put("_rev", "2-" + "a".repeat(32)));
        JobStore store = Stores.of(queue.database());
        TestQueue.until(() -> store.leaves(FIRST).areInConflict());
        try (store;
                Dependencies held = TestDependencies.of(queue)) {
            held.settle();
            assertThat(document(queue).path("status").asText())
                    .as("what readers see")
                    .isEqualTo("success");
            assertThat(isHeld(queue)).isTrue();

            Job loser = store.leaves(FIRST).jobs().stream()
                    .filter(leaf -> leaf.status() == JobStatus.RUNNING)
                    .findFirst()
                    .orElseThrow();
            queue.database().put(Tombstone.of(FIRST.docId(), loser.rev().orElseThrow()));
            held.settle();
            assertThat(isHeld(queue)).isFalse();
        }
    }

    private static void end(JobQueue queue) {
        ObjectNode first = document(queue);
        queue.database()
                .put(first.put("status", "success")
                        .put("ends", first.path("ends").asInt() + 1));
    }

    /** As the copies of a cluster do it. */
    private void replicate(ObjectNode running) throws Exception {
        running.put("status", "running")
                .putObject("lock")
                .put("token", "t")
                .put("worker", "w")
                .put("since", 1);
        Replicated.into(cluster.urls().get(1).resolve("/jobs").toString(), running);
    }

    private static ObjectNode document(JobQueue queue) {
        return queue.database().get(FIRST.docId()).orElseThrow();
    }

    private static boolean isHeld(JobQueue queue) {
        return queue.get("email", "last").orElseThrow().after().isPresent();
    }
}
