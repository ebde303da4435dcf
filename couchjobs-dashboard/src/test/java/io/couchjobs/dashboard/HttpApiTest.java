package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.type.Limit;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The HTTP API for programs. Each answer is compared with the OpenAPI document by {@link Program}. */
@ServerTest
@Timeout(120)
class HttpApiTest {
    private final FixedCheck disk = new FixedCheck("disk");
    private JobQueue queue;
    private Dashboard dashboard;
    private Program program;

    @BeforeEach
    void open(TestDatabase database) {
        queue = Queues.of(database);
        listen(Dashboard.of(queue).api());
    }

    private void listen(DashboardBuilder options) {
        dashboard = options.checks(List.of(disk)).listen("127.0.0.1", 0);
        program = new Program(dashboard.url());
    }

    @AfterEach
    void close() {
        dashboard.close();
        queue.close();
    }

    private Program.Answer add(String json) throws Exception {
        return program.postRaw(
                "/jobs", json.getBytes(StandardCharsets.UTF_8), "Content-Type", "application/json; charset=utf-8");
    }

    @Test
    void the_document_describes_what_is_served_and_nothing_else() {
        Set<String> described = new TreeSet<>();
        Program.DOCUMENT.path("paths").properties().forEach(path -> path.getValue()
                .properties()
                .forEach(operation -> {
                    if (!operation.getKey().equals("parameters")) {
                        described.add(described(path.getKey(), operation.getKey(), operation.getValue()));
                    }
                }));
        assertThat(new HttpApi(queue, null, null).served()).isEqualTo(described);
    }

    /** As {@link HttpApi#served} says it. */
    private static String described(String path, String method, JsonNode operation) {
        Set<String> parameters = new TreeSet<>();
        operation
                .path("parameters")
                .forEach(parameter -> parameters.add(parameter.path("name").asText()));
        return method.toUpperCase(Locale.ROOT) + " /api/v1" + path + " " + parameters;
    }

    @Test
    void the_document_is_served_below_the_base_path_too() throws Exception {
        dashboard.close();
        listen(Dashboard.of(queue).api().basePath("/admin/jobs"));
        var answer = program.raw("GET", "/openapi.yaml");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/yaml");
        assertThat(answer.body()).startsWith("openapi: \"3.1.0\"");
        assertThat(program.get("/jobs").json().path("jobs")).isEmpty();
    }

    @Test
    void without_being_asked_for_the_api_is_off() throws Exception {
        dashboard.close();
        listen(Dashboard.of(queue));
        var answer = program.raw("GET", "/jobs");
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("--api");
    }

    @Test
    void a_job_with_all_that_a_creator_can_say_is_added_and_read_back() throws Exception {
        Program.Answer added = add("""
                {"type": "email", "id": "a/b c+d", "data": {"to": "ada@example.org"}, "scheduledTime": "2040-01-31T10:00:00+01:00",
                 "group": "g", "priority": 80, "maxRetries": 2, "class": "c", "origin": "o", "correlationId": "k",
                 "tags": ["one", "two"], "after": {"jobs": [{"type": "email", "id": "0"}], "onFailure": "run"}}
                """);
        assertThat(added.status()).isEqualTo(201);
        assertThat(added.json().path("outcome").asText()).isEqualTo("added");
        JsonNode job = program.get("/jobs/email/a%2Fb%20c+d").json();
        assertThat(job).isEqualTo(added.json().path("job"));
        assertThat(job.path("scheduledTime").asText()).isEqualTo("2040-01-31T09:00:00Z");
        assertThat(job.at("/data/to").asText()).isEqualTo("ada@example.org");
        assertThat(job.at("/after/onFailure").asText()).isEqualTo("run");
        assertThat(job.path("tags")).hasSize(2);
        assertThat(job.path("priority").asInt()).isEqualTo(80);
    }

    @Test
    void an_add_says_what_became_of_a_job_that_exists() throws Exception {
        String job = "{\"type\": \"email\", \"id\": \"1\", \"data\": {\"n\": 1}}";
        assertThat(add(job).status()).isEqualTo(201);
        Program.Answer again = add(job);
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.json().path("outcome").asText()).isEqualTo("unchanged");
        Program.Answer other = add(job.replace("1}", "2}"));
        assertThat(other.status()).isEqualTo(409);
        assertThat(other.detail()).contains("email:1", "?replace=true");
        assertThat(program.post("/jobs?replace=true", Map.of("type", "email", "id", "1", "data", Map.of("n", 2)))
                        .json()
                        .at("/job/data/n")
                        .asInt())
                .isEqualTo(2);
        assertThat(queue.claim(new JobId("email", "1"))).isPresent();
        assertThat(add(job).json().path("outcome").asText()).isEqualTo("resubmitted");
    }

    @Test
    void a_tracker_has_at_most_one_unfinished_job() throws Exception {
        String job = "{\"type\": \"email\", \"tracker\": \"daily\", \"data\": {\"n\": %d}}";
        assertThat(add(job.formatted(1)).status()).isEqualTo(201);
        Program.Answer again = add(job.formatted(2));
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.json().at("/job/data/n").asInt()).isEqualTo(1);
    }

    @Test
    void pages_bring_every_job_once() throws Exception {
        queue.addAll(IntStream.range(0, 25)
                .mapToObj(i -> JobRequest.builder("email")
                        .id("job " + i)
                        .data(Map.of())
                        .tag(i % 2 == 0 ? "even" : "odd")
                        .build())
                .toList());
        assertThat(paged("type=email")).hasSize(25).doesNotHaveDuplicates();
        assertThat(paged("tag=odd&status=waiting")).hasSize(12).doesNotHaveDuplicates();
        assertThat(paged("type=report")).isEmpty();
    }

    private List<String> paged(String filter) throws Exception {
        List<String> ids = new ArrayList<>();
        String after = "";
        do {
            JsonNode page = program.get("/jobs?limit=7&" + filter + after).json();
            page.path("jobs").forEach(job -> ids.add(job.path("id").asText()));
            after = page.path("next").isNull()
                    ? ""
                    : "&after=" + page.path("next").asText();
        } while (!after.isEmpty());
        return ids;
    }

    @ParameterizedTest
    @ValueSource(strings = {"/jobs?", "/jobs?&", "/jobs?type=email&", "/jobs?type=email&&limit=7"})
    void a_query_may_have_nothing_between_its_separators(String path) throws Exception {
        assertThat(program.get(path).status()).isEqualTo(200);
    }

    @Test
    void the_token_of_a_claim_is_never_told() throws Exception {
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        ClaimedJob claim = queue.claim(new JobId("email", "1")).orElseThrow();
        assertThat(program.get("/jobs/email/1")
                        .json()
                        .path("lock")
                        .path("worker")
                        .asText())
                .isNotEmpty();
        for (String path : List.of("/jobs/email/1", "/jobs?type=email")) {
            assertThat(program.raw("GET", path).body()).doesNotContain(claim.token());
        }
    }

    @Test
    void jobs_are_cancelled_and_retried() throws Exception {
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        assertThat(program.post("/jobs/email/1/cancel", null)
                        .json()
                        .path("outcome")
                        .asText())
                .isEqualTo("cancelled");
        assertThat(program.post("/jobs/email/1/cancel", null).status()).isEqualTo(409);
        assertThat(program.post("/jobs/email/1/retry", null)
                        .json()
                        .path("status")
                        .asText())
                .isEqualTo("waiting");
        assertThat(queue.claim(new JobId("email", "1"))).isPresent();
        assertThat(program.post("/jobs/email/1/retry", null).status()).isEqualTo(409);
        assertThat(program.post("/jobs/email/1/cancel", null)
                        .json()
                        .path("outcome")
                        .asText())
                .isEqualTo("requested");
        assertThat(program.post("/jobs/email/2/cancel", null).status()).isEqualTo(404);
        assertThat(program.post("/jobs/email/2/retry", null).status()).isEqualTo(404);
        assertThat(program.get("/jobs/email/2").status()).isEqualTo(404);
    }

    @Test
    void types_are_paused_and_resumed() throws Exception {
        assertThat(program.get("/types/email").json().path("paused").asBoolean())
                .isFalse();
        assertThat(program.post("/types/email/pause", null)
                        .json()
                        .path("paused")
                        .asBoolean())
                .isTrue();
        assertThat(program.get("/types/email").json().path("paused").asBoolean())
                .isTrue();
        assertThat(queue.types().settings().get("email").isPaused()).isTrue();
        assertThat(program.post("/types/email/resume", null)
                        .json()
                        .path("paused")
                        .asBoolean())
                .isFalse();
    }

    @Test
    void counts_are_by_type_or_by_a_label() throws Exception {
        for (int i = 0; i < 3; i++) {
            queue.add(JobRequest.builder("email")
                    .data(Map.of())
                    .group("group " + i)
                    .build());
        }
        queue.add(JobRequest.builder("report").data(Map.of()).build());
        JsonNode byType = program.get("/counts").json();
        assertThat(byType.at("/counts/email/waiting").asLong()).isEqualTo(3);
        assertThat(byType.at("/counts/report/waiting").asLong()).isEqualTo(1);
        assertThat(byType.path("more").asBoolean()).isFalse();
        JsonNode byGroup = program.get("/counts?by=group&limit=2").json();
        assertThat(byGroup.path("counts").size()).isEqualTo(2);
        assertThat(byGroup.at("/counts/group 0/waiting").asLong()).isEqualTo(1);
        assertThat(byGroup.path("more").asBoolean()).isTrue();
        assertThat(program.get("/counts?limit=1").json().path("more").asBoolean())
                .isTrue();
    }

    @Test
    void health_needs_no_more_than_its_status() throws Exception {
        Program.Answer well = program.get("/health");
        assertThat(well.status()).isEqualTo(200);
        assertThat(well.json().path("status").asText()).isEqualTo("ok");
        disk.finds(Problem.Level.PROBLEM, "The disk is full.");
        dashboard.close();
        listen(Dashboard.of(queue).api());
        Program.Answer ill = program.get("/health");
        assertThat(ill.status()).isEqualTo(503);
        assertThat(StreamSupport.stream(ill.json().path("problems").spliterator(), false)
                        .map(problem -> problem.path("name").asText()))
                .containsExactly("disk");
    }

    @Test
    void a_database_that_is_gone_is_a_problem_of_health_and_an_error_elsewhere() throws Exception {
        queue.database().delete();
        Program.Answer ill = program.get("/health");
        assertThat(ill.status()).isEqualTo(503);
        assertThat(ill.json().at("/problems/0/name").asText()).isEqualTo("database");
        assertThat(program.get("/jobs").status()).isEqualTo(502);
        assertThat(add("{\"type\": \"email\"}").status()).isEqualTo(502);
        assertThat(queue.database().createIfMissing()).isTrue();
    }

    @Test
    void a_full_queue_takes_no_more() throws Exception {
        queue.types().change("email", settings -> settings.with(Limit.QUEUED, 1));
        assertThat(add("{\"type\": \"email\"}").status()).isEqualTo(201);
        Program.Answer full = add("{\"type\": \"email\"}");
        assertThat(full.status()).isEqualTo(429);
        assertThat(full.detail()).contains("email");
        assertThat(program.post("/jobs?replace=true", Map.of("type", "email")).status())
                .isEqualTo(429);
        assertThat(queue.all("email").count()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/jobs?limit=0         | limit must be a number from 1 to 200: 0",
                "/jobs?limit=201       | limit must be a number from 1 to 200: 201",
                "/jobs?limit=ten       | limit must be a number from 1 to 200: ten",
                "/jobs?status=done     | there is no status done",
                "/jobs?after=here      | not a place in a list: here",
                "/jobs?statsu=waiting  | unknown parameter: statsu",
                "/jobs?type=a%3Ab      | type",
                "/jobs/a%3Ab/1         | type",
                "/jobs/email/          | id",
                "/counts?by=colour     | by: type, group, class, origin, tag or correlation, not \"colour\"",
                "/counts?limit=10001   | limit must be a number from 1 to 10000: 10001",
                "/types/a%3Ab          | type",
                "/health?deep=true     | unknown parameter: deep"
            })
    void a_bad_question_is_answered_by_the_parameter_and_its_value(String path, String problem) throws Exception {
        Program.Answer answer = program.get(path);
        assertThat(answer.status()).as(answer.detail()).isEqualTo(400);
        assertThat(answer.detail()).contains(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "[]                                          | the body must be a JSON object",
                "{\"type\":                                  | the body must be a JSON object",
                "{\"type\": \"e\"} {\"type\": \"f\"}         | the body must be a JSON object",
                "{}                                          | type is missing",
                "{\"type\": 1}                               | type must be a string: 1",
                "{\"type\": \"a:b\"}                         | type",
                "{\"type\": \"e\", \"id\": 7}                | id must be a string: 7",
                "{\"type\": \"e\", \"id\": \"\"}             | id",
                "{\"type\": \"e\", \"data\": [1]}            | data must be a JSON object",
                "{\"type\": \"e\", \"priority\": 100}        | priority",
                "{\"type\": \"e\", \"priority\": \"high\"}   | priority must be an integer: \"high\"",
                "{\"type\": \"e\", \"maxRetries\": -1}       | maxRetries",
                "{\"type\": \"e\", \"scheduledTime\": 5}     | scheduledTime must be a time such as 2030-01-31T09:00:00Z: 5",
                "{\"type\": \"e\", \"scheduledTime\": \"soon\"} | scheduledTime must be a time",
                "{\"type\": \"e\", \"tags\": \"a\"}          | tags must be an array: \"a\"",
                "{\"type\": \"e\", \"tags\": [1]}            | tags must be a string: 1",
                "{\"type\": \"e\", \"after\": []}            | after must be an object: []",
                "{\"type\": \"e\", \"after\": {\"jobs\": [{\"type\": \"e\"}]}} | after.jobs.id is missing",
                "{\"type\": \"e\", \"after\": {\"onFailure\": \"cry\"}} | after.onFailure must be cancel, run or wait: \"cry\"",
                "{\"type\": \"e\", \"after\": {\"job\": []}} | unknown field: after.job",
                "{\"type\": \"e\", \"dat\": {}}              | unknown field: dat"
            })
    void a_bad_job_is_refused_by_the_field_and_its_value(String body, String problem) throws Exception {
        Program.Answer answer = add(body);
        assertThat(answer.status()).as(answer.detail()).isEqualTo(400);
        assertThat(answer.detail()).contains(problem);
        assertThat(queue.list(JobFilter.all().status(JobStatus.WAITING), 10)).isEmpty();
    }

    @Test
    void a_bad_parameter_of_a_change_changes_nothing() throws Exception {
        Program.Answer wrong = program.post("/jobs?replace=perhaps", Map.of("type", "email"));
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(wrong.detail()).isEqualTo("replace must be true or false: perhaps");
        Program.Answer both = program.post("/jobs?replace=true", Map.of("type", "email", "tracker", "daily"));
        assertThat(both.status()).isEqualTo(400);
        assertThat(queue.all("email").count()).isZero();
        assertThat(add("{\"type\": \"email\", \"data\": {\"x\": \"" + "x".repeat(70_000) + "\"}}")
                        .status())
                .isEqualTo(413);
        assertThat(program.post("/types/a%3Ab/pause", null).status()).isEqualTo(400);
        assertThat(program.post("/jobs/a%3Ab/1/cancel", null).status()).isEqualTo(400);
        assertThat(program.post("/jobs/a%3Ab/1/retry", null).status()).isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource({"/jobs, type", "/jobs, limit", "/jobs, after", "/jobs, status", "/counts, by"})
    void a_parameter_without_a_value_is_no_filter_that_is_left_out(String path, String parameter) throws Exception {
        for (String empty : List.of("=", "")) {
            Program.Answer answer = program.get(path + "?" + parameter + empty);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.detail()).isEqualTo("empty parameter: " + parameter);
        }
    }

    @Test
    void an_empty_parameter_of_a_change_changes_nothing() throws Exception {
        assertThat(program.post("/jobs?replace=", Map.of("type", "email")).status())
                .isEqualTo(400);
        assertThat(queue.all("email").count()).isZero();
    }

    @Test
    void another_path_or_method_is_refused() throws Exception {
        assertThat(program.raw("GET", "/nothing").statusCode()).isEqualTo(404);
        assertThat(program.raw("GET", "/jobs/email/1/cancel/now").statusCode()).isEqualTo(404);
        var reading = program.raw("GET", "/jobs/email/1/cancel");
        assertThat(reading.statusCode()).isEqualTo(405);
        assertThat(reading.headers().firstValue("Allow")).contains("POST");
        var deleting = program.raw("DELETE", "/jobs/email/1");
        assertThat(deleting.statusCode()).isEqualTo(405);
        assertThat(deleting.headers().firstValue("Allow")).contains("GET, HEAD, POST");
        assertThat(program.raw("HEAD", "/jobs").statusCode()).isEqualTo(200);
    }

    @Test
    void a_malformed_job_is_said_to_be_malformed() throws Exception {
        queue.database()
                .put(Call.JSON.createObjectNode().put("_id", "job:email:1").put("status", "lost"));
        for (Program.Answer answer : List.of(
                program.get("/jobs/email/1"),
                program.post("/jobs", Map.of("type", "email", "id", "1", "data", Map.of())),
                program.post("/jobs/email/1/cancel", null),
                program.post("/jobs/email/1/retry", null))) {
            assertThat(answer.status()).isEqualTo(422);
            assertThat(answer.detail()).contains("status");
        }
    }
}
