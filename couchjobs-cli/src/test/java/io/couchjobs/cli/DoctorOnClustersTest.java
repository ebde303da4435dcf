package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.SimulatedCluster;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Doctor tells of nodes that are away, and what that means for the copies of the queue's database. */
@Timeout(120)
class DoctorOnClustersTest {
    private final SimulatedCluster cluster = SimulatedCluster.start(3, 7);
    private final TestShell shell = new TestShell()
            .with("COUCHJOBS_URL", cluster.urls().get(0).resolve("/jobs").toString());

    @BeforeEach
    void init() {
        assertThat(shell.run("init").exitCode()).isZero();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void with_all_nodes_there_the_copies_are_well() {
        JsonNode copies = copies(0);
        assertThat(copies.path("level").asText()).isEqualTo("ok");
        assertThat(copies.path("finding").asText()).startsWith("3 copies of each document");
    }

    @Test
    void one_of_three_nodes_that_is_gone_is_a_problem_until_it_is_back() {
        cluster.stop(2);
        JsonNode copies = copies(1);
        assertThat(copies.path("level").asText()).isEqualTo("problem");
        assertThat(copies.path("finding").asText()).contains("node3@127.0.0.1", "2 of 3 copies");
        assertThat(copies.path("consequence").asText()).contains("one more");
        cluster.start(2);
        assertThat(copies(0).path("level").asText()).isEqualTo("ok");
    }

    @Test
    void a_node_that_has_lost_both_others_says_that_nothing_is_confirmed() {
        cluster.stop(1);
        cluster.stop(2);
        JsonNode copies = copies(1);
        assertThat(copies.path("finding").asText()).contains("node2@127.0.0.1", "node3@127.0.0.1", "1 of 3 copies");
        assertThat(copies.path("consequence").asText()).contains("no job is claimed or finished");
    }

    @Test
    void fix_takes_no_job_while_no_majority_tells_whether_its_owner_is_registered() throws Exception {
        try (JobQueue queue =
                JobQueue.builder(cluster.urls().get(0).resolve("/jobs")).open()) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            assertThat(queue.accept(AcceptOptions.of("email"))).hasSize(1);
            cluster.stop(1);
            cluster.stop(2);

            assertThat(shell.run("doctor", "--fix", "--yes").err()).contains("left email:1 as it is", "no majority");
            assertThat(queue.phase("email", "1")).isEqualTo(JobPhase.RUNNING);
        }
    }

    private JsonNode copies(int exitCode) {
        TestShell.Said said = shell.run("doctor", "-o", "json");
        assertThat(said.exitCode()).as(said.out()).isEqualTo(exitCode);
        for (JsonNode finding : said.json()) {
            if (finding.path("check").asText().equals("copies")) {
                return finding;
            }
        }
        throw new AssertionError("no finding of copies in " + said.out());
    }
}
