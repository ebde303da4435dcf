package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.SimulatedCluster;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.TestQueue;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is attached at one node of a cluster is there for workers at another one. */
@Timeout(120)
class AttachedDataOnClustersTest {
    private static final Map<String, String> LARGE = Map.of("text", "x".repeat(40_000));

    private final SimulatedCluster cluster = SimulatedCluster.start(3, 4);

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void a_job_that_was_added_at_one_node_is_run_at_another_with_its_data() throws Exception {
        try (JobQueue creator = at(0);
                JobQueue owner = at(2)) {
            creator.add(JobRequest.builder("email").id("1").data(LARGE).build());
            ClaimedJob claim = owner.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                    .get(0);
            assertThat(claim.data().path("text").asText()).isEqualTo(LARGE.get("text"));
            claim.update(Map.of("text", "y".repeat(40_000)));
            claim.finish();
            Job done = creator.get("email", "1").orElseThrow();
            assertThat(done.hasAttachedData()).isTrue();
            assertThat(done.data().path("text").asText()).startsWith("y");
        }
    }

    private JobQueue at(int node) {
        return JobQueue.builder(cluster.urls().get(node).resolve("/jobs"))
                .renewLeases(false)
                .open();
    }
}
