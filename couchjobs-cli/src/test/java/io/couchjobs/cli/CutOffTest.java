package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.SimulatedCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An administrator at a node of a cluster that has lost the others is not told that something is done. */
@Timeout(120)
class CutOffTest {
    private final SimulatedCluster cluster = SimulatedCluster.start(3, 5);
    private final TestShell shell = new TestShell()
            .with("COUCHJOBS_URL", cluster.urls().get(2).resolve("/jobs").toString());

    @AfterEach
    void close() {
        cluster.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pause email",
                "resume email",
                "type set email --limit 3",
                "cron add daily --every 2d email",
                "cron disable nightly",
                "cron remove nightly"
            })
    void a_change_at_a_node_that_is_cut_off_fails_and_says_that_it_may_be_undone(String command) {
        assertThat(shell.run("cron add nightly --every 1d email".split(" ")).exitCode())
                .isZero();
        assertThat(shell.run("type", "set", "email", "--limit", "2").exitCode()).isZero();
        cluster.stop(0);
        cluster.stop(1);
        TestShell.Said said = shell.run(command.split(" "));
        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.err())
                .contains("no majority of the copies confirmed the change to ")
                .contains("it may be undone: try again when the cluster is whole");
        assertThat(said.out()).isEmpty();
    }

    @Test
    void the_same_command_succeeds_when_the_others_are_back() {
        cluster.stop(0);
        cluster.stop(1);
        assertThat(shell.run("pause", "email").exitCode()).isEqualTo(1);
        cluster.start(0);
        cluster.start(1);
        assertThat(shell.run("pause", "email").exitCode()).isZero();
        try (JobQueue queue = JobQueue.builder(
                        cluster.urls().get(0).resolve("/jobs").toString())
                .renewLeases(false)
                .open()) {
            assertThat(queue.types().settings("email").isPaused()).isTrue();
        }
    }
}
