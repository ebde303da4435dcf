package io.couchjobs.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.junit.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ServerTest
@Timeout(120)
class QueueCommandsTest {
    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase database) {
        shell = TestShell.at(database);
    }

    @Test
    void new_data_for_a_pending_job_is_refused_and_replaced_when_asked_for() {
        assertThat(shell.run("enqueue", "email", "kept", "--data", "{\"to\":1.0}")
                        .exitCode())
                .isZero();
        assertThat(shell.run("enqueue", "email", "kept", "--data", "{\"to\":1}").exitCode())
                .as("the same data")
                .isZero();
        assertThat(shell.run("enqueue", "email", "kept").exitCode())
                .as("no data given")
                .isZero();

        for (String[] how : new String[][] {{}, {"-q"}, {"-o", "json"}}) {
            List<String> command = new ArrayList<>(List.of("enqueue", "email", "kept", "--data", "{\"to\":2}"));
            command.addAll(List.of(how));
            TestShell.Said said = shell.run(command.toArray(String[]::new));
            assertThat(said.exitCode()).isEqualTo(4);
            assertThat(said.err()).contains("email:kept", "--replace");
            if (how.length < 2) {
                assertThat(said.out()).isEmpty();
            } else {
                assertThat(said.json().path("stored").isBoolean()).isTrue();
                assertThat(said.json().path("stored").asBoolean()).isFalse();
                assertThat(said.json().path("problem").asText()).contains("email:kept", "keeps");
            }
        }

        TestShell.Said replaced =
                shell.run("enqueue", "email", "kept", "--data", "{\"to\":2}", "--replace", "-o", "json");
        assertThat(replaced.exitCode()).as(replaced.err()).isZero();
        assertThat(replaced.json().at("/data/to").asInt()).isEqualTo(2);
    }

    @Test
    void an_empty_object_is_data_that_is_given() {
        done("enqueue", "email", "kept", "--data", "{\"to\":1}");
        assertThat(shell.run("enqueue", "email", "kept", "--data", "{}").exitCode())
                .isEqualTo(4);
        shell.usage("--from adds many jobs", "enqueue", "email", "--from", "-", "--data", "{}");
    }

    @Test
    void data_on_standard_input_that_is_not_utf_8_is_refused() {
        shell.input("{\"name\":\"Jos\u00e9\"}".getBytes(ISO_8859_1))
                .usage("standard input is not UTF-8", "enqueue", "email", "1", "--data", "-");
        assertThat(done("list", "-o", "json").json()).isEmpty();
    }

    @Test
    void data_with_a_number_that_couchdb_cannot_store_is_refused() {
        for (int digits : List.of(309, 5000)) {
            TestShell.Said said = shell.run("enqueue", "email", "long", "--data", "{\"n\":" + "7".repeat(digits) + "}");
            assertThat(said.exitCode()).as(said.err()).isEqualTo(2);
            assertThat(said.err()).containsIgnoringCase("number");
        }
    }

    @Test
    void init_says_what_it_created_and_the_second_time_that_there_was_nothing_to_do() {
        JsonNode first = done("init", "-o", "json").json();
        assertThat(first.path("databaseCreated").asBoolean()).isFalse();
        assertThat(first.path("designDocumentsPushed")).hasSize(2);

        assertThat(done("init", "-o", "json").json().path("designDocumentsPushed"))
                .isEmpty();
        assertThat(done("design", "diff", "-o", "json").json()).isEmpty();
    }

    @Test
    void a_missing_database_is_exit_code_3_and_says_how_to_create_it() {
        TestShell.Said said = shell.run("counts", "--url", nowhere());

        assertThat(said.exitCode()).isEqualTo(3);
        assertThat(said.err()).contains("run \"couchjobs init\"").hasLineCount(1);
    }

    @Test
    void a_job_can_be_held_until_others_have_ended() {
        done("enqueue", "report", "1", "--data", "{}");
        done("enqueue", "summary", "s", "--data", "{}", "--after", "report/1", "--after", "report/a/b");
        JsonNode after = done("inspect", "summary", "s", "-o", "json").json().path("after");
        assertThat(after)
                .hasToString("{\"jobs\":[{\"type\":\"report\",\"id\":\"1\"},{\"type\":\"report\",\"id\":\"a/b\"}],"
                        + "\"onFailure\":\"cancel\"}");
        done("enqueue", "summary", "t", "--data", "{}", "--after", "report/1", "--after-failure", "run");
        assertThat(done("inspect", "summary", "t", "-o", "json")
                        .json()
                        .path("after")
                        .path("onFailure")
                        .asText())
                .isEqualTo("run");
        assertThat(done("inspect", "report", "1", "-o", "json")
                        .json()
                        .path("after")
                        .isNull())
                .isTrue();
    }

    @Test
    void the_jobs_that_a_held_job_waits_for_may_be_written_with_a_colon() {
        done("enqueue", "summary", "s", "--data", "{}", "--after", "report:1", "--after", "report:a/b:c");
        assertThat(done("inspect", "summary", "s", "-o", "json")
                        .json()
                        .at("/after/jobs")
                        .findValuesAsText("id"))
                .containsExactlyInAnyOrder("1", "a/b:c");
    }

    @Test
    void the_option_after_must_name_jobs() {
        for (String wrong : List.of("report", "/1", "report/", ":1", "report:")) {
            TestShell.Said said = shell.run("enqueue", "summary", "--data", "{}", "--after", wrong);
            assertThat(said.exitCode()).isEqualTo(2);
            assertThat(said.err()).contains("--after").contains(wrong);
        }
        TestShell.Said alone = shell.run("enqueue", "summary", "--data", "{}", "--after-failure", "run");
        assertThat(alone.exitCode()).isEqualTo(2);
        assertThat(alone.err()).contains("needs --after");
        TestShell.Said unknown =
                shell.run("enqueue", "summary", "--data", "{}", "--after", "a/1", "--after-failure", "explode");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err()).contains("cancel").contains("wait");
        assertThat(done("list", "--type", "summary", "-o", "json").json()).isEmpty();
    }

    @Test
    void an_enqueued_job_can_be_inspected_listed_and_counted() {
        assertThat(done("enqueue", "email", "42", "--data", "{\"to\":\"a\"}", "--tag", "x", "--group", "g")
                        .out())
                .isEqualTo("42\n");

        JsonNode job = done("inspect", "email", "42", "-o", "json").json();
        assertThat(job.path("type").asText()).isEqualTo("email");
        assertThat(job.path("status").asText()).isEqualTo("waiting");
        assertThat(job.path("state").asText()).isEqualTo("pending");
        assertThat(job.path("data")).hasToString("{\"to\":\"a\"}");
        assertThat(job.path("scheduledTime").isNull()).isTrue();
        assertThat(done("list", "--type", "email", "--tag", "x", "-o", "json").json())
                .hasSize(1);
        assertThat(done("list", "--type", "email", "--tag", "y", "-o", "json").json())
                .isEmpty();
        assertThat(done("counts", "-o", "json").json())
                .hasToString("{\"types\":{\"email\":{\"waiting\":1,\"scheduled\":0,\"running\":0,\"stuck\":0,"
                        + "\"success\":0,\"failed\":0,\"cancelled\":0}}}");
        assertThat(done("counts").out()).startsWith("TYPE   WAITING").contains("\nemail        1 ");
    }

    @Test
    void an_empty_correlation_id_is_refused_and_never_means_all_jobs() {
        done("enqueue", "email", "1");
        shell.input("{\"id\":\"2\",\"data\":{},\"correlationId\":\"\"}\n");
        for (List<String> command : List.of(
                List.of("enqueue", "email", "2", "--correlation", ""),
                List.of("enqueue", "email", "--from", "-"),
                List.of("list", "--correlation", ""),
                List.of("cancel", "--type", "email", "--correlation", "", "--all", "--yes"))) {
            TestShell.Said said = shell.run(command.toArray(String[]::new));
            assertThat(said.exitCode()).as(command.toString()).isNotZero();
            assertThat(said.err()).as(command.toString()).contains("correlationId must not be empty");
        }
        assertThat(done("list", "--status", "waiting", "-o", "json").json()).hasSize(1);
    }

    @Test
    void a_time_given_in_any_way_is_stored_and_the_data_may_come_from_stdin_or_a_file(@TempDir Path folder)
            throws IOException {
        Path file = Files.writeString(folder.resolve("data.json"), "{\"from\":\"file\"}");

        JsonNode later = done("enqueue", "email", "--at", "2040-01-01T00:00:00Z", "--data", "@" + file, "-o", "json")
                .json();
        assertThat(later.path("scheduledTime").asText()).isEqualTo("2040-01-01T00:00:00Z");
        assertThat(later.path("data")).hasToString("{\"from\":\"file\"}");

        shell.input("{\"from\":\"stdin\"}");
        assertThat(done("enqueue", "email", "--data", "-", "-o", "ndjson")
                        .json()
                        .path("data"))
                .hasToString("{\"from\":\"stdin\"}");
    }

    @Test
    void a_tracker_lets_in_one_unfinished_job_only() {
        shell.usage("--if-new and --replace exclude each other", "enqueue", "email", "--if-new", "monday", "--replace");
        TestShell.Said first = done("enqueue", "email", "--if-new", "monday");
        TestShell.Said second = done("enqueue", "email", "--if-new", "monday");

        assertThat(second.out()).isEqualTo(first.out());
        assertThat(second.err()).contains("not added");
        assertThat(done("list", "-o", "json").json()).hasSize(1);
    }

    @Test
    void bad_lines_of_a_file_are_named_and_everything_else_is_added() {
        shell.input("{\"id\":\"a\",\"data\":{}}\nnonsense\n{\"id\":\"b\",\"data\":{}}\n{\"data\":1}\n");

        TestShell.Said said = shell.run("enqueue", "email", "--from", "-", "-o", "json");

        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.json().path("added").asInt()).isEqualTo(2);
        assertThat(said.json().path("rejected").findValuesAsText("line")).containsExactly("2", "4");
        assertThat(said.err()).contains("couchjobs: line 2: not JSON").contains("couchjobs: line 4: ");
        assertThat(done("list", "-o", "json").json().findValuesAsText("id")).containsExactlyInAnyOrder("a", "b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"enqueue email --from -", "import -"})
    void the_first_20_bad_lines_of_a_file_are_named_and_the_others_are_counted(String command) {
        shell.input("nonsense\n".repeat(150));

        TestShell.Said said = shell.run((command + " -o json").split(" "));

        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.json().path("rejected")).hasSize(150);
        assertThat(said.err().lines().filter(line -> line.contains(": line "))).hasSize(20);
        assertThat(said.err()).contains("couchjobs: line 20: ", "couchjobs: and 130 more such lines");
    }

    @Test
    void lines_and_options_make_jobs_of_any_text() {
        shell.input("./a\n./b c\n");

        assertThat(done("enqueue", "sha256", "--from", "-", "--format", "lines", "--tag", "t")
                        .out())
                .isEqualTo("added 2, updated 0, unchanged 0, rejected 0\n");

        assertThat(done("list", "--tag", "t", "-o", "json").json().findValuesAsText("line"))
                .containsExactlyInAnyOrder("./a", "./b c");
    }

    @Test
    void one_job_is_cancelled_retried_moved_and_removed_and_its_state_may_refuse() {
        done("enqueue", "email", "1");
        assertThat(done("cancel", "email", "1").out()).isEqualTo("email:1 cancelled\n");
        assertThat(shell.run("cancel", "email", "1").exitCode()).isEqualTo(4);
        assertThat(shell.run("reschedule", "email", "1", "--at", "+1h").exitCode())
                .isEqualTo(4);
        done("retry", "email", "1");
        done("reschedule", "email", "1", "--at", "2040-01-01T00:00:00Z");
        done("prioritize", "email", "1", "--priority", "75");
        JsonNode job = done("inspect", "email", "1", "-o", "json").json();
        assertThat(job.path("scheduledTime").asText()).isEqualTo("2040-01-01T00:00:00Z");
        assertThat(job.path("priority").asInt()).isEqualTo(75);

        done("remove", "email", "1");
        for (List<String> command : List.of(
                List.of("remove", "email", "1"),
                List.of("inspect", "email", "1"),
                List.of("cancel", "email", "1"),
                List.of("wait", "email", "1"))) {
            TestShell.Said said = shell.run(command.toArray(new String[0]));
            assertThat(said.exitCode()).isEqualTo(3);
            assertThat(said.err()).isEqualTo("couchjobs: no such job: email:1\n");
        }
    }

    @Test
    void many_jobs_are_acted_on_when_somebody_says_yes() {
        done("enqueue", "email", "1");
        done("enqueue", "email", "2");
        shell.terminals(new Shell.Terminals(true, false, true));

        shell.input("n\n");
        assertThat(shell.run("remove", "--type", "email", "--all").exitCode()).isEqualTo(1);
        assertThat(done("list", "-o", "json").json()).hasSize(2);

        shell.input("y\n");
        assertThat(done("cancel", "--type", "email", "--all").err()).contains("cancel 2 jobs? [y/N]");
        assertThat(done("remove", "--type", "email", "--status", "cancelled", "--all", "--yes", "-o", "json")
                        .json()
                        .path("changed")
                        .asInt())
                .isEqualTo(2);
        assertThat(done("list", "-o", "json").json()).isEmpty();
    }

    @Test
    void wait_ends_at_its_state_or_at_its_time_or_when_the_job_ended_otherwise() {
        done("enqueue", "email", "1", "--in", "1h");

        assertThat(shell.run("wait", "email", "1", "--timeout", "50ms").exitCode())
                .isEqualTo(5);
        assertThat(done("wait", "email", "1", "--for", "pending").out()).isEqualTo("waiting\n");
        done("cancel", "email", "1");
        assertThat(done("wait", "email", "1", "-o", "json")
                        .json()
                        .path("status")
                        .asText())
                .isEqualTo("cancelled");
        assertThat(shell.run("wait", "email", "1", "--for", "success").exitCode())
                .isEqualTo(1);
    }

    @Test
    void a_job_is_moved_by_a_duration_and_the_time_must_be_said_once() {
        done("enqueue", "email", "1");
        Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        done("reschedule", "email", "1", "--in", "2h");
        Instant due = Instant.parse(done("inspect", "email", "1", "-o", "json")
                .json()
                .path("scheduledTime")
                .asText());
        assertThat(due)
                .isBetween(before.plus(Duration.ofHours(2)), Instant.now().plus(Duration.ofHours(2)));

        TestShell.Said both = shell.run("reschedule", "email", "1", "--in", "2h", "--at", "+1h");
        assertThat(both.exitCode()).isEqualTo(2);
        assertThat(both.err()).contains("--at and --in exclude each other");
        TestShell.Said none = shell.run("reschedule", "email", "1");
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("which time? Give --at TIME or --in DURATION");
    }

    @Test
    void the_reason_of_a_cancel_is_kept_with_the_job() {
        done("enqueue", "email", "1");
        done("cancel", "email", "1", "--reason", "the customer called");
        JsonNode error = done("inspect", "email", "1", "-o", "json").json().at("/errors/0");
        assertThat(error.path("kind").asText()).isEqualTo("cancelled");
        assertThat(error.path("message").asText()).isEqualTo("the customer called");
    }

    @Test
    void the_reason_of_a_retry_is_shown_until_the_job_is_retried_again() {
        done("enqueue", "email", "1", "--in", "1h");
        done("retry", "email", "1", "--reason", "the mail server is back");
        assertThat(done("inspect", "email", "1").out()).containsPattern("retryReason +the mail server is back");
        done("retry", "email", "1");
        assertThat(done("inspect", "email", "1", "-o", "json")
                        .json()
                        .path("retryReason")
                        .isNull())
                .isTrue();
    }

    @Test
    void an_empty_list_says_so_beside_the_result() {
        TestShell.Said said = done("list", "--status", "failed");
        assertThat(said.err()).isEqualTo("couchjobs: no such jobs\n");
        assertThat(said.out()).startsWith("TYPE").hasLineCount(1);
        assertThat(done("list", "-q").err()).isEmpty();
    }

    @Test
    void an_embedded_store_lives_in_its_folder_from_command_to_command(@TempDir Path folder) {
        String url = "embedded:" + folder.resolve("store");

        done("enqueue", "email", "1", "--url", url);

        assertThat(done("list", "--url", url, "-o", "json").json().findValuesAsText("id"))
                .containsExactly("1");
    }

    @Test
    void a_document_that_cannot_be_a_job_is_named_by_counts(TestDatabase database) throws Exception {
        done("enqueue", "email", "1");
        put(database, "job:email:2", "{\"status\":7}");

        TestShell.Said said = done("counts", "-o", "json");

        assertThat(said.err()).contains("job:email:2 is not a job", "status").hasLineCount(1);
        assertThat(said.json().path("types").path("email").path("waiting").asInt())
                .isEqualTo(1);
    }

    private static void put(TestDatabase database, String id, String document) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(database.url() + "/" + id))
                .header("Content-Type", "application/json") // without it PouchDB Server takes the body for nothing
                .PUT(HttpRequest.BodyPublishers.ofString(document));
        database.user().ifPresent(user -> {
            String pair = user + ":" + database.password().orElse("");
            request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8)));
        });
        HttpResponse<Void> answer =
                HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.discarding());
        assertThat(answer.statusCode()).isEqualTo(201);
    }

    private String nowhere() {
        StringBuilder url = new StringBuilder();
        shell.shell(new java.io.StringWriter(), new java.io.StringWriter())
                .variable("COUCHJOBS_URL")
                .ifPresent(url::append);
        return url + "-is-not-there";
    }

    private TestShell.Said done(String... args) {
        TestShell.Said said = shell.run(args);
        assertThat(said.exitCode()).as(said.err()).isZero();
        return said;
    }
}
