package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.SimulatedCluster;
import io.couchjobs.embedded.junit.TestDatabase;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that stay and see what happens: wait and watch. */
@ServerTest
@Timeout(180)
class FollowingCommandsTest {
    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase database) {
        shell = TestShell.at(database).terminals(new Shell.Terminals(false, false, true));
        done("init");
    }

    @Test
    void wait_prints_the_status_when_the_job_is_finished() throws Exception {
        done("enqueue", "email", "1");
        try (RunningCommand wait = waiting("1")) {
            done("cancel", "email", "1");

            TestShell.Said said = wait.end();
            assertThat(said.exitCode()).isZero();
            assertThat(said.out()).isEqualTo("cancelled\n");
        }
    }

    @Test
    void wait_says_that_the_job_was_removed_meanwhile() throws Exception {
        done("enqueue", "email", "1");
        try (RunningCommand wait = waiting("1")) {
            done("remove", "email", "1");

            TestShell.Said said = wait.end();
            assertThat(said.exitCode()).isEqualTo(3);
            assertThat(said.err()).endsWith("couchjobs: email:1 was removed while waiting for it\n");
            assertThat(said.out()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"removed", "not_found"})
    void wait_can_wait_for_the_removal(String target) throws Exception {
        done("enqueue", "email", "1");
        done("cancel", "email", "1");
        try (RunningCommand wait = waiting("1", "--for", target, "-o", "json")) {
            done("remove", "email", "1");

            TestShell.Said said = wait.end();
            assertThat(said.exitCode()).isZero();
            assertThat(said.json()).hasToString("{\"type\":\"email\",\"id\":\"1\",\"state\":\"not_found\"}");
        }
        assertThat(done("wait", "email", "1", "--for", target).out()).isEqualTo("removed\n");
        assertThat(shell.run("wait", "email", "1", "--for", "pending").exitCode())
                .isEqualTo(3);
    }

    @Test
    void wait_at_a_node_that_is_cut_off_takes_no_end_for_granted() {
        try (SimulatedCluster cluster = SimulatedCluster.start(3, 4)) {
            URI url = cluster.urls().get(1).resolve("/jobs");
            TestShell there = new TestShell().with("COUCHJOBS_URL", url.toString());
            assertThat(there.run("init").exitCode()).isZero();
            assertThat(there.run("enqueue", "email", "1").exitCode()).isZero();
            cluster.stop(0);
            cluster.stop(2);
            try (JobQueue queue =
                    JobQueue.builder(url.toString()).renewLeases(false).open()) {
                ObjectNode job = queue.database().get("job:email:1").orElseThrow();
                queue.database().put(job.put("status", "success"));
            }

            TestShell.Said said = there.run("wait", "email", "1", "--timeout", "1s");

            assertThat(said.exitCode()).isEqualTo(5);
            assertThat(said.out()).isEmpty();
            assertThat(said.err()).contains("is success at this node, but no majority of the copies is in reach");
        }
    }

    @Test
    void wait_gives_up_in_time_and_says_how_the_job_stands() {
        done("enqueue", "email", "1", "--in", "1h");

        TestShell.Said said = shell.run("wait", "email", "1", "--timeout", "1s", "-q");

        assertThat(said.exitCode()).isEqualTo(5);
        assertThat(said.err()).isEqualTo("couchjobs: email:1 is waiting, not finished, after 1s\n");
        assertThat(shell.run("wait", "email", "1", "--for", "running", "--timeout", "0s")
                        .exitCode())
                .isEqualTo(5);
        assertThat(done("wait", "email", "1", "--for", "Pending", "--timeout", "0s")
                        .out())
                .isEqualTo("waiting\n");
    }

    @Test
    void wait_ends_by_130_when_it_is_interrupted() throws Exception {
        done("enqueue", "email", "1", "--in", "1h");

        try (RunningCommand wait = waiting("1")) {
            assertThat(wait.interrupt().exitCode()).isEqualTo(130);
        }
    }

    @Test
    void watch_shows_every_change_of_state_and_the_removal() throws Exception {
        try (RunningCommand watch = watching("-o", "ndjson")) {
            done("enqueue", "email", "1");
            watch.awaitOut(text -> text.contains("waiting"));
            done("cancel", "email", "1");
            watch.awaitOut(text -> text.contains("cancelled"));
            done("remove", "email", "1");

            List<String> lines =
                    watch.awaitOut(text -> text.contains("not_found")).lines().toList();
            assertThat(lines).hasSize(3);
            JsonNode removed = json(lines.get(2));
            assertThat(removed.path("id").asText()).isEqualTo("1");
            assertThat(removed.path("at").asText()).matches("\\d{4}-.*Z");
            assertThat(watch.interrupt().exitCode()).isEqualTo(130);
        }
    }

    @Test
    void watch_shows_a_change_whose_data_cannot_be_read_without_it() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start()) {
            TestShell there = new TestShell().with("COUCHJOBS_URL", couch.url() + "jobs");
            there.done("init");
            couch.faults()
                    .answer(Integer.MAX_VALUE, request -> request.path().matches(".*job(:|%3A)email(:|%3A)1/.*"), 500);
            try (RunningCommand watch = there.start("watch", "-o", "ndjson").awaitErr("watching")) {
                there.done("enqueue", "email", "1", "--data", "{\"text\":\"" + "x".repeat(40_000) + "\"}");

                JsonNode job = json(watch.awaitOut(text -> text.contains("waiting")));
                assertThat(job.path("data").isNull()).isTrue();
                assertThat(job.path("dataProblem").asText()).contains("cannot be read", "500");
            }
        }
    }

    private static JsonNode json(String line) {
        return new TestShell.Said(0, line, "").json();
    }

    @Test
    void watch_shows_only_what_it_was_asked_for() throws Exception {
        try (RunningCommand type = watching("--type", "email");
                RunningCommand id = watching("--id", "2")) {
            done("enqueue", "sms", "2");
            done("enqueue", "email", "1");
            done("enqueue", "email", "2");
            done("remove", "sms", "2");
            done("remove", "email", "2");

            // A late reader hears only the last change of each job, and not always in the order of the changes.
            String ofType =
                    type.awaitOut(text -> text.contains("email:1  waiting") && text.contains("email:2  removed"));
            String ofId = id.awaitOut(text -> text.contains("sms:2  removed") && text.contains("email:2  removed"));

            assertThat(ofType).doesNotContain("sms");
            assertThat(ofId).doesNotContain("email:1");
        }
    }

    @Test
    void watch_ends_quietly_when_its_reader_has_gone() throws Exception {
        try (RunningCommand watch = watching()) {
            watch.closeOut();
            done("enqueue", "email", "1");

            TestShell.Said said = watch.end();
            assertThat(said.exitCode()).isZero();
            assertThat(said.err()).isEqualTo("couchjobs: watching, Ctrl-C to stop\n");
        }
    }

    private RunningCommand watching(String... options) {
        return shell.start(with(List.of("watch"), options)).awaitErr("watching");
    }

    private RunningCommand waiting(String id, String... options) {
        return shell.start(with(List.of("wait", "email", id), options)).awaitErr("waiting until");
    }

    private static String[] with(List<String> command, String... options) {
        List<String> all = new java.util.ArrayList<>(command);
        all.addAll(List.of(options));
        return all.toArray(new String[0]);
    }

    private TestShell.Said done(String... args) {
        TestShell.Said said = shell.run(args);
        assertThat(said.exitCode()).as(said.err()).isZero();
        return said;
    }
}
