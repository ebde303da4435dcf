package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.JobRequest;
import io.couchjobs.scope.Ending;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeService;
import io.couchjobs.scope.Submission;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
@Timeout(120)
class ScopeCommandsTest {
    private static final Scope THREE = Scope.of("index", 3);

    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase database) {
        shell = TestShell.at(database);
        shell.done("init");
    }

    @Test
    void a_scope_is_started_changed_listed_and_stopped() {
        TestShell.Said started =
                shell.done("scope", "start", "index", "3", "--concurrency", "2", "--classes", "book,page");
        assertThat(started.out()).contains("index  3", "running", "2", "6", "book,page");
        shell.done("scope", "start", "index", "4");

        JsonNode changed = shell.done("scope", "set", "index", "3", "--concurrency", "cores*2", "-o", "json")
                .json()
                .get(0);
        assertThat(changed.path("concurrency").asText()).isEqualTo("cores*2");
        assertThat(changed.path("classes")).hasToString("[\"book\",\"page\"]");
        assertThat(shell.done("scope", "set", "index", "--queue-limit", "7", "-o", "json")
                        .json())
                .hasSize(2)
                .allMatch(scope -> scope.path("queueLimit").asInt() == 7);
        shell.done(
                "scope",
                "set",
                "index",
                "3",
                "--classes",
                "default",
                "--concurrency",
                "default",
                "--queue-limit",
                "default");

        JsonNode listed = shell.done("scope", "list", "-o", "json").json();
        assertThat(listed).hasSize(2);
        assertThat(listed.get(0))
                .hasToString("{\"type\":\"index\",\"partition\":\"3\",\"running\":true,\"concurrency\":10,"
                        + "\"queueLimit\":null,\"classes\":[],\"starts\":1}");
        assertThat(shell.done("scope", "list", "other", "-o", "json").json()).isEmpty();

        assertThat(shell.done("scope", "stop", "index", "3", "--timeout", "0s", "-o", "json")
                        .json()
                        .get(0)
                        .path("running")
                        .asBoolean())
                .isFalse();
        assertThat(shell.done("scope", "start", "index").err())
                .contains("index@4 runs already; nothing was written")
                .doesNotContain("index@3");
        assertThat(shell.done("scope", "stop", "index", "-o", "json").json())
                .noneMatch(scope -> scope.path("running").asBoolean());
    }

    @Test
    void its_jobs_are_counted_and_listed_when_they_have_ended(TestDatabase database) throws Exception {
        BlockingQueue<Ending> endings = new LinkedBlockingQueue<>();
        try (JobQueue queue = TestShell.queue(database)) {
            shell.done("scope", "start", "index", "3");
            queue.scopes().serve(ScopeService.of("index", ObjectNode.class, (data, context) -> "done"));
            submit(queue, "a", endings);
            assertThat(endings.poll(60, TimeUnit.SECONDS)).isNotNull();
        }
        JsonNode stats =
                shell.done("scope", "stats", "index", "3", "-o", "json").json().get(0);
        assertThat(stats.path("accepted").asLong()).isEqualTo(1);
        assertThat(stats.path("finished").asLong()).isEqualTo(1);
        assertThat(shell.done("scope", "stats", "index").out()).contains("ACCEPTED", "CANCELLED");
        assertThat(shell.done("scope", "history", "index", "3", "-o", "json")
                        .json()
                        .get(0)
                        .path("id")
                        .asText())
                .isEqualTo("a");
        assertThat(shell.done("scope", "history", "index", "3", "-o", "id").out())
                .isEqualTo("a\n");
        assertThat(shell.done("scope", "history", "index").out()).contains("index@3  a", "success");
    }

    @Test
    void a_stop_with_a_time_kills_what_still_runs_then(TestDatabase database) throws Exception {
        BlockingQueue<Ending> endings = new LinkedBlockingQueue<>();
        CountDownLatch begun = new CountDownLatch(1);
        try (JobQueue queue = TestShell.queue(database)) {
            shell.done("scope", "start", "index", "3");
            queue.scopes().serve(ScopeService.of("index", ObjectNode.class, (data, context) -> {
                begun.countDown();
                new CountDownLatch(1).await();
                return null;
            }));
            submit(queue, "endless", endings);
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            shell.done("scope", "stop", "index", "3", "--timeout", "0s");
            Ending killed = endings.poll(60, TimeUnit.SECONDS);
            assertThat(killed).isNotNull();
            assertThat(killed.reason().orElseThrow()).startsWith("SCOPE_SHUTDOWN");
        }
    }

    @Test
    void a_stop_that_runs_out_of_time_names_the_scope_also_to_who_wants_it_quiet(TestDatabase database)
            throws Exception {
        shell.done("scope", "start", "index", "3");
        try (JobQueue queue = TestShell.queue(database)) {
            submit(queue, "owned", new LinkedBlockingQueue<>());
            assertThat(queue.accept(AcceptOptions.of(THREE.jobType()))).hasSize(1);

            TestShell.Said said = shell.run("scope", "stop", "index", "3", "--timeout", "0s", "-q");

            assertThat(said.exitCode()).isEqualTo(5);
            assertThat(said.err()).contains("jobs of [index@3] still wait or run");
        }
    }

    @Test
    void each_wrong_argument_is_named_and_nothing_is_written() {
        shell.usage("concurrency must be at least 1: 0", "scope", "start", "index", "3", "--concurrency", "0");
        shell.usage("cores*x", "scope", "start", "index", "3", "--concurrency", "cores*x");
        shell.usage("'-1'", "scope", "set", "index", "3", "--queue-limit=-1");
        shell.usage("what to set?", "scope", "set", "index", "3");
        shell.usage("must not contain @", "scope", "start", "index@3", "4");
        shell.usage("limit must be at least 1: 0", "scope", "history", "index", "--limit", "0");
        shell.usage("which of its commands?", "scope");
        assertThat(shell.done("scope", "list", "-o", "json").json()).isEmpty();
    }

    @Test
    void a_scope_that_was_never_started_is_exit_code_3() {
        for (String verb : new String[] {"stop", "set", "stats", "history"}) {
            String[] option = verb.equals("set") ? new String[] {"--concurrency", "2"} : new String[0];
            TestShell.Said one = shell.run(joined(new String[] {"scope", verb, "index", "3"}, option));
            assertThat(one.exitCode()).as(verb).isEqualTo(3);
            assertThat(one.err()).contains("index@3", "scope start");
            assertThat(shell.run(joined(new String[] {"scope", verb, "index"}, option))
                            .exitCode())
                    .as(verb)
                    .isEqualTo(3);
        }
        assertThat(shell.run("scope", "start", "index").exitCode()).isEqualTo(3);
    }

    private static String[] joined(String[] first, String[] second) {
        return Stream.of(first, second).flatMap(Arrays::stream).toArray(String[]::new);
    }

    private static void submit(JobQueue queue, String id, BlockingQueue<Ending> endings) {
        Submission submitted = queue.scopes()
                .submit(THREE, JobRequest.builder("index").id(id).data(Map.of()).build(), endings::add);
        assertThat(submitted.isAccepted()).isTrue();
    }

    @Test
    void a_concurrency_of_0_is_refused_in_one_sentence() {
        TestShell.Said said = shell.run("scope", "set", "index", "3", "--concurrency", "0");
        assertThat(said.exitCode()).isEqualTo(2);
        assertThat(said.err()).contains("concurrency must be at least 1: 0; or give default");
    }
}
