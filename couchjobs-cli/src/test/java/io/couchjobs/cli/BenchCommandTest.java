package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.cli.child.Jvm;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.TestDatabase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With real worker processes, and as little of everything as there can be: not a single number is of interest. */
@ServerTest
@Timeout(180)
@Order(1)
class BenchCommandTest {
    @Test
    void every_figure_is_measured_and_no_database_is_left(TestDatabase database) {
        List<String> before = databases(database);

        TestShell.Said said = TestShell.at(database)
                .run(("bench -q -o json --rounds 1 --jobs 20 --backlog 20 --processes 2 --concurrency 5 --samples 1"
                                + " --herd 2 --idle 100ms")
                        .split(" "));

        assertThat(said.exitCode()).as(said.err() + said.out()).isZero();
        JsonNode json = said.json();
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactly(
                        "server",
                        "raw",
                        "enqueue_bulk",
                        "enqueue_threads",
                        "enqueue_async",
                        "drain",
                        "drain_processes",
                        "wakeup",
                        "idle",
                        "herd",
                        "arrays",
                        "backlog",
                        "memory",
                        "storage",
                        "start");
        boolean isNameless = database.serverName().contains("PouchDB"); // PouchDB Server does not say what it is
        assertThat(json.path("server").path("version").asText().isEmpty()).isEqualTo(isNameless);
        assertNumbers(json.path("raw"), "bulk_docs_per_s", "single_writes_per_s", "notify_ms_p50");
        assertNumbers(json.path("enqueue_bulk"), "per_s", "of_limit");
        assertNumbers(json.path("enqueue_threads"), "per_s", "of_limit");
        assertNumbers(json.path("enqueue_async"), "per_s", "of_limit");
        assertNumbers(
                json.path("drain"), "processes", "per_s", "of_limit", "wasted_claims", "client_cpu_ms", "of_raw_runs");
        assertNumbers(json.path("drain_processes"), "processes", "per_s", "of_limit", "wasted_claims");
        assertNumbers(json.path("wakeup"), "ms_p50", "ms_p99", "of_limit");
        assertNumbers(json.path("idle"), "requests_per_min");
        assertNumbers(json.path("herd"), "workers", "claims_per_job");
        assertNumbers(json.path("arrays"), "items", "per_s", "of_drain", "client_cpu_us");
        assertNumbers(json.path("backlog"), "jobs", "drain_of_small");
        assertNumbers(json.path("memory"), "heap_mb");
        if (!isNameless) { // PouchDB Server tells no sizes
            assertNumbers(json.path("storage"), "bytes_per_job");
        }
        assertNumbers(json.path("start"), "ms", "over_jvm_ms");
        assertThat(databases(database)).isEqualTo(before);
    }

    @Test
    void processes_and_fleet_are_measured_when_they_are_named(TestDatabase database) {
        TestShell.Said said = TestShell.at(database)
                .run(("bench -q -o json --only processes,fleet --rounds 1 --jobs 10 --processes 2 --listeners 3"
                                + " --concurrency 5 --idle 100ms")
                        .split(" "));

        assertThat(said.exitCode()).as(said.err()).isZero();
        JsonNode json = said.json();
        assertThat(json.path("processes").path("cells"))
                .hasSize(10)
                .allSatisfy(cell -> assertNumbers(
                        cell, "processes", "places", "per_s", "of_one", "wasted_claims", "client_cpu_ms"));
        assertNumbers(json.path("processes"), "worst_of_one", "worst_wasted_claims");
        assertThat(json.path("fleet").path("listeners"))
                .extracting(entry -> entry.path("listening").asInt())
                .containsExactly(1, 3);
        assertThat(json.path("fleet").path("listeners"))
                .allSatisfy(entry -> assertNumbers(entry, "per_s", "listener_cpu_ms"));
    }

    @Test
    void only_what_is_asked_for_is_measured_and_shown_beside_its_target(TestDatabase database) {
        TestShell.Said said = TestShell.at(database)
                .run("bench", "--only", "enqueue_bulk,ENQUEUE_THREADS", "--rounds", "2", "--jobs", "20");

        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(said.out())
                .contains("raw bulk_docs_per_s", "enqueue_bulk", "0.9 or more", "enqueue_threads", " to ")
                .doesNotContain("drain", "wakeup");
    }

    @Test
    void all_that_is_wrong_is_said_at_once() {
        TestShell.Said said =
                new TestShell().run("bench", "--rounds", "0", "--jobs", "1", "--listeners", "0", "--idle", "0s");

        assertThat(said.exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(said.err())
                .contains("at least 1 round", "at least 10 jobs", "clients can listen: 0", "must be positive");
    }

    @Test
    void a_bench_that_is_ended_early_leaves_no_database_behind(TestDatabase database) throws Exception {
        List<String> before = databases(database);
        Process bench = start(database, "bench", "-q", "--only", "idle", "--idle", "1h");
        try {
            while (databases(database).equals(before)) {
                assertThat(bench.waitFor(10, TimeUnit.MILLISECONDS)).isFalse();
            }
            bench.destroy();

            bench.waitFor();
            assertThat(databases(database)).isEqualTo(before);
        } finally {
            bench.destroyForcibly();
        }
    }

    @Test
    void a_worker_process_ends_when_its_parent_does(TestDatabase database) throws Exception {
        Process worker = start(database, "bench-worker");
        try {
            worker.getOutputStream().close();

            assertThat(worker.waitFor()).isEqualTo(ExitCode.INTERRUPTED.number());
        } finally {
            worker.destroyForcibly();
        }
    }

    private static void assertNumbers(JsonNode json, String... fields) {
        for (String field : fields) {
            assertThat(json.path(field).isNumber()).as(field + " in " + json).isTrue();
        }
    }

    private static Process start(TestDatabase database, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(arguments));
        command.addAll(List.of("--url", database.url().toString()));
        ProcessBuilder builder = Jvm.again(List.of(), command);
        builder.environment().put("COUCHJOBS_CONFIG", "/dev/null");
        database.user().ifPresent(user -> builder.environment().put("COUCHJOBS_USER", user));
        database.password().ifPresent(word -> builder.environment().put("COUCHJOBS_PASSWORD", word));
        return builder.start();
    }

    private static List<String> databases(TestDatabase database) {
        CouchConfig.Builder config = CouchConfig.builder(database.url().resolve("/"));
        database.user()
                .ifPresent(user -> config.auth(
                        new Auth.Basic(user, Secret.of(database.password().orElse("")))));
        try (CouchServer server = CouchServer.connect(config.build())) {
            return server.databases().stream()
                    .filter(name -> name.startsWith("couchjobs-bench-"))
                    .toList();
        }
    }
}
