package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.type.Rate;
import io.couchjobs.type.Retention;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.Worker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the dashboard's pages ask, and what they are answered. */
@Tag("server")
@ExtendWith(CouchExtension.class)
@Timeout(120)
@SuppressWarnings("try") // who works, or listens, only has to be there
class ApiTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String EVIL = "<script>alert(1)</script>";

    private JobQueue queue;
    private Dashboard dashboard;
    private Browser browser;

    @BeforeEach
    void open(TestDatabase database) {
        queue = Queues.of(database);
        dashboard = Dashboard.of(queue).listen("127.0.0.1", 0);
        browser = new Browser(dashboard.url());
    }

    @AfterEach
    void close() {
        dashboard.close();
        queue.close();
    }

    private static void assumeExactNumbers(TestDatabase database) {
        assumeFalse(
                database.serverName().contains("PouchDB"),
                "PouchDB Server keeps numbers as JavaScript does: beyond 2^53 it rounds them");
    }

    private JsonNode answer(String path, Object body) throws IOException, InterruptedException {
        var answered = browser.post(path, body);
        assertThat(answered.statusCode()).as(answered.body()).isEqualTo(200);
        return new JsonMapper().readTree(answered.body());
    }

    private void add(int count, String type) {
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(JobRequest.builder(type)
                    .data(Map.of())
                    .id("job " + i)
                    .tag(i % 2 == 0 ? "even" : "odd")
                    .build());
        }
        queue.addAll(requests);
    }

    @Test
    void the_overview_tells_numbers_workers_and_since_when_jobs_are_due() throws Exception {
        add(3, "email");
        queue.add(JobRequest.builder("report")
                .data(Map.of())
                .scheduledTime(Instant.now().plusSeconds(3600))
                .build());
        queue.types().change("report", settings -> settings.withPaused(true));
        JsonNode overview = browser.json("overview");
        assertThat(overview.at("/types/0/type").asText()).isEqualTo("email");
        assertThat(overview.at("/types/0/waiting").asLong()).isEqualTo(3);
        assertThat(overview.at("/types/0/oldest").asLong())
                .isLessThanOrEqualTo(overview.path("now").asLong() + 2000);
        assertThat(overview.at("/types/1/paused").asBoolean()).isTrue();
        assertThat(overview.path("actions").asBoolean()).isTrue();
        assertThat(overview.path("problems").asLong()).as("nobody runs email").isEqualTo(1);
    }

    @Test
    void the_history_tells_what_ran_of_all_types_or_of_one_with_percentiles_and_marks() throws Exception {
        add(4, "email");
        add(1, "sms");
        queue.operations().history().mark("v1.4 " + EVIL);
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> null)
                .handler("sms", (data, context) -> {
                    throw new PermanentJobException("never");
                })
                .untilEmpty()
                .start()) {
            worker.awaitStopped();
        }

        for (String range : List.of("hour", "day", "month")) {
            JsonNode all = browser.json("history?range=" + range);
            assertThat(all.at("/total/runs").asLong()).as(range).isEqualTo(5);
            assertThat(all.at("/total/failures").asLong()).isEqualTo(1);
            assertThat(all.path("points").size()).isBetween(61, 181);
            assertThat(all.at("/types/0/type").asText()).isEqualTo("email");
            assertThat(all.at("/types/0/p95").isNumber()).isTrue();
            assertThat(all.at("/marks/0/text").asText()).isEqualTo("v1.4 " + EVIL);
        }
        JsonNode sms = browser.json("history?type=sms");
        assertThat(sms.at("/total/runs").asLong()).isEqualTo(1);
        assertThat(browser.json("history?type=none").at("/total/runs").asLong()).isZero();
        assertThat(browser.get("api/history?range=year").statusCode()).isEqualTo(400);
        assertThat(browser.json("types").at("/types/0/p50").isNumber()).isTrue();
        assertThat(browser.json("overview").at("/types/0/p95").isNumber()).isTrue();
    }

    @Test
    void failures_are_grouped_with_their_hours_and_a_group_is_retried() throws Exception {
        add(3, "email");
        add(1, "sms");
        queue.operations().history().mark("v1.4");
        failAll("email", "no answer after 3000 ms");
        failAll("sms", "no such number");

        JsonNode failures = browser.json("failures");

        assertThat(failures.at("/mark/text").asText()).isEqualTo("v1.4");
        assertThat(failures.path("groups")).hasSize(2);
        JsonNode email = failures.at("/groups/1");
        assertThat(email.path("message").asText()).isEqualTo("no answer after # ms");
        assertThat(email.path("failed").asLong()).isEqualTo(3);
        assertThat(email.at("/perHour/23").asLong()).isEqualTo(3);
        assertThat(email.path("first").asLong())
                .isBetween(failures.at("/mark/at").asLong(), email.path("last").asLong());
        String group = email.path("group").asText();
        assertThat(browser.post("bulk", Map.of("action", "remove", "failures", group))
                        .statusCode())
                .isEqualTo(400);
        browser.post("bulk", Map.of("action", "retry", "failures", group));
        Chrome.until(
                "the group runs again",
                Duration.ofSeconds(30),
                () -> browser.json("failures").path("groups").size() == 1);
        assertThat(queue.list(JobFilter.all().type("email").status(JobStatus.WAITING), 10))
                .hasSize(3);
    }

    private void failAll(String type, String message) throws Exception {
        try (Worker worker = queue.worker()
                .handler(type, (data, context) -> {
                    throw new PermanentJobException(message);
                })
                .untilEmpty()
                .start()) {
            worker.awaitStopped();
        }
    }

    @Test
    void a_job_that_does_not_run_is_explained() throws Exception {
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        queue.types().change("email", settings -> settings.withPaused("the mail server moves"));

        JsonNode reasons = browser.json("explain?type=email&id=1").path("reasons");

        assertThat(reasons.at("/0/verdict").asText()).isEqualTo("paused");
        assertThat(reasons.at("/0/because").asText()).contains("the mail server moves");
        assertThat(reasons.at("/0/do").asText()).isEqualTo("couchjobs resume email");
        assertThat(browser.get("api/explain?type=email&id=2").statusCode()).isEqualTo(404);
    }

    @Test
    void jobs_are_found_by_the_beginning_of_their_ids_a_page_at_a_time() throws Exception {
        for (String type : List.of("email", "report")) {
            for (String id : List.of("order-1", "order-2", "order-20", "other")) {
                queue.add(JobRequest.builder(type).id(id).data(Map.of()).build());
            }
        }

        List<String> found = new ArrayList<>();
        String after = "";
        do {
            JsonNode page = browser.json("jobs?id=order-2&limit=3&after=" + after);
            page.path("jobs")
                    .forEach(job -> found.add(
                            job.path("type").asText() + " " + job.path("id").asText()));
            after = page.path("next").asText("");
        } while (!after.isEmpty() && !after.equals("null"));

        assertThat(found).containsExactly("email order-2", "email order-20", "report order-2", "report order-20");
        assertThat(browser.json("jobs?id=o&type=report").path("jobs")).hasSize(4);
        assertThat(browser.json("jobs?id=o&status=failed").path("jobs")).isEmpty();
        assertThat(browser.json("jobs?id=nosuch").path("jobs")).isEmpty();
    }

    @Test
    void pages_by_key_bring_every_job_once_whatever_its_type_and_status() throws Exception {
        add(23, "email");
        add(23, "report");
        for (int i = 0; i < 10; i++) {
            queue.cancel("email", "job " + i, io.couchjobs.job.CancelMode.IF_QUEUED);
        }
        for (String filter :
                new String[] {"", "type=email", "status=waiting", "tag=even", "type=report&status=waiting"}) {
            List<String> seen = paged(filter, 7);
            Set<String> all = new TreeSet<>();
            queue.all(io.couchjobs.job.JobFilter.all())
                    .filter(job -> passes(job, filter))
                    .forEach(job -> all.add(job.id().toString()));
            assertThat(seen).as(filter).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(all);
        }
    }

    private static boolean passes(io.couchjobs.job.Job job, String filter) {
        return (!filter.contains("type=email") || job.type().equals("email"))
                && (!filter.contains("type=report") || job.type().equals("report"))
                && (!filter.contains("status=waiting") || job.status() == JobStatus.WAITING)
                && (!filter.contains("tag=even") || job.tags().contains("even"));
    }

    private List<String> paged(String filter, int limit) throws IOException, InterruptedException {
        List<String> seen = new ArrayList<>();
        String after = "";
        do {
            JsonNode page = browser.json("jobs?" + filter + "&limit=" + limit + after);
            assertThat(page.path("jobs").size()).isLessThanOrEqualTo(limit);
            page.path("jobs")
                    .forEach(job -> seen.add(
                            job.path("type").asText() + ":" + job.path("id").asText()));
            after = page.path("next").isTextual()
                    ? "&after=" + page.path("next").asText()
                    : "";
        } while (!after.isEmpty());
        return seen;
    }

    @Test
    void a_page_says_how_many_jobs_there_are_where_the_index_knows() throws Exception {
        add(9, "email");
        assertThat(browser.json("jobs?type=email&limit=2").path("count").asLong())
                .isEqualTo(9);
        assertThat(browser.json("jobs?tag=even&limit=2").has("count")).isFalse();
        assertThat(browser.json("count?tag=even").path("count").asLong()).isEqualTo(5);
        assertThat(browser.json("count?type=email&status=failed").path("count").asLong())
                .isZero();
    }

    @Test
    void jobs_of_a_label_are_counted_to_a_thousand_for_that_they_must_be_read() throws Exception {
        add(2_100, "email");
        JsonNode many = browser.json("count?tag=even");
        assertThat(many.path("count").asLong()).isEqualTo(1_000);
        assertThat(many.path("atLeast").asBoolean()).isTrue();
    }

    @Test
    void wrong_questions_are_answered_by_what_is_wrong() throws Exception {
        assertThat(browser.get("api/jobs?after=nonsense").statusCode()).isEqualTo(400);
        assertThat(browser.get("api/jobs?limit=many").statusCode()).isEqualTo(400);
        assertThat(browser.get("api/jobs?status=odd").statusCode()).isEqualTo(400);
        assertThat(browser.get("api/job?type=email").statusCode()).isEqualTo(400);
        assertThat(browser.get("api/job?type=email&id=none").statusCode()).isEqualTo(404);
        assertThat(browser.get("api/nothing").statusCode()).isEqualTo(404);
        assertThat(browser.post("action", Map.of("action", "explode", "type", "email", "id", "1"))
                        .statusCode())
                .isEqualTo(400);
        assertThat(browser.post("action", List.of(1)).statusCode()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-32LE", "UTF-32BE", "ISO-8859-1"})
    void a_change_in_another_encoding_than_utf_8_is_refused(String encoding) throws Exception {
        refusesAsNoUtf8("{\"action\":\"cancel\",\"type\":\"é\",\"id\":\"1\"}".getBytes(Charset.forName(encoding)));
    }

    @Test
    void a_change_that_only_begins_as_another_encoding_is_refused() throws Exception {
        refusesAsNoUtf8(new byte[] {0, 0, 0, '{', 1, 0x49, 0x4a, 0x4a}); // beyond the last character of UTF-32
        refusesAsNoUtf8(new byte[] {0, '{', 0, 0, 0, '}', 0, 0}); // UTF-32 in an order that no machine has
    }

    private void refusesAsNoUtf8(byte[] body) throws Exception {
        var refused = browser.postRaw("action", body, Guard.HEADER, "1", "Content-Type", "application/json");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("the body must be a JSON object in UTF-8");
    }

    @Test
    void a_number_that_javascript_would_round_is_told_as_it_is(TestDatabase database) throws Exception {
        assumeExactNumbers(database);
        queue.add(JobRequest.builder("email")
                .data(Map.of("number", 9007199254740993L))
                .id("1")
                .build());
        assertThat(browser.json("job?type=email&id=1").path("data").asText()).contains("9007199254740993");
    }

    @Test
    void a_job_is_told_whole_as_text_and_without_its_token() throws Exception {
        queue.add(JobRequest.builder("email")
                .data(Map.of())
                .id(EVIL)
                .data(Map.of("to", EVIL))
                .group("ada")
                .tag(EVIL)
                .correlationId("batch 7")
                .build());
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (Worker worker = queue.worker()
                .id("worker-1")
                .handler("email", (job, context) -> {
                    context.log("a line " + EVIL);
                    context.progress(40, "half " + EVIL);
                    running.countDown();
                    end.await();
                    throw new PermanentJobException("no such mailbox " + EVIL);
                })
                .start()) {
            running.await();
            JsonNode job = browser.json("job?type=email&id=%3Cscript%3Ealert(1)%3C/script%3E");
            assertThat(job.path("status").asText()).isEqualTo("running");
            assertThat(job.path("worker").asText()).isEqualTo("worker-1");
            assertThat(job.path("data").asText()).contains(EVIL);
            String token =
                    queue.get("email", EVIL).orElseThrow().lock().orElseThrow().token();
            assertThat(job.toString()).doesNotContain(token);
            end.countDown();
            assertThat(queue.awaitFinished("email", EVIL, PATIENCE)).isPresent();
        }
        JsonNode job = browser.json("job?type=email&id=%3Cscript%3Ealert(1)%3C/script%3E");
        assertThat(job.at("/errors/0/message").asText()).contains("no such mailbox");
        assertThat(job.at("/times/finished").asLong()).isPositive();
        JsonNode log = browser.json("log?type=email&id=%3Cscript%3Ealert(1)%3C/script%3E");
        assertThat(log.at("/chunks/0/lines/0/text").asText()).isEqualTo("a line " + EVIL);
        assertThat(browser.json("jobs?tag=%3Cscript%3Ealert(1)%3C/script%3E")
                        .at("/jobs/0/status")
                        .asText())
                .isEqualTo("failed");
        assertThat(browser.get("api/job?type=email&id=%3Cscript%3Ealert(1)%3C/script%3E")
                        .headers()
                        .firstValue("Content-Type"))
                .contains("application/json");
    }

    @Test
    void a_job_shows_its_data_also_where_that_is_attached_and_says_when_it_is_lost() throws Exception {
        queue.add(JobRequest.builder("email")
                .id("1")
                .data(Map.of("text", "x".repeat(40_000)))
                .build());
        assertThat(browser.json("job?type=email&id=1").path("data").asText()).contains("x".repeat(40_000));
        ObjectNode damaged = queue.database().get("job:email:1").orElseThrow();
        damaged.remove("_attachments");
        queue.database().put(damaged);
        assertThat(browser.json("job?type=email&id=1").path("data").asText()).contains("email:1", "cannot be read");
    }

    @Test
    void each_action_on_a_job_does_what_it_says() throws Exception {
        add(3, "email");
        answer("action", Map.of("action", "cancel", "type", "email", "id", "job 0"));
        assertThat(queue.get("email", "job 0").orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(browser.post("action", Map.of("action", "cancel", "type", "email", "id", "job 0"))
                        .statusCode())
                .isEqualTo(409);
        answer("action", Map.of("action", "retry", "type", "email", "id", "job 0"));
        assertThat(queue.get("email", "job 0").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
        long later = System.currentTimeMillis() + 3_600_000;
        answer("action", Map.of("action", "reschedule", "type", "email", "id", "job 1", "time", later));
        assertThat(queue.get("email", "job 1").orElseThrow().scheduledTime().toEpochMilli())
                .isEqualTo(later);
        assertThat(browser.post("action", Map.of("action", "reschedule", "type", "email", "id", "job 1"))
                        .statusCode())
                .isEqualTo(400);
        answer("action", Map.of("action", "remove", "type", "email", "id", "job 2"));
        assertThat(queue.get("email", "job 2")).isEmpty();
        assertThat(browser.post("action", Map.of("action", "release", "type", "email", "id", "job 1"))
                        .statusCode())
                .isEqualTo(409);
    }

    @Test
    void a_job_that_is_added_has_the_very_number_that_was_typed(TestDatabase database) throws Exception {
        assumeExactNumbers(database);
        answer("jobs", Map.of("type", "email", "id", "first", "data", "{\"n\": 9007199254740993}"));
        assertThat(queue.get("email", "first").orElseThrow().data()).hasToString("{\"n\":9007199254740993}");
    }

    @Test
    void a_job_is_added_and_a_finished_one_is_run_again_with_other_data_as_a_new_one() throws Exception {
        answer("jobs", Map.of("type", "email", "id", "first", "data", "{\"n\": 1}"));
        assertThat(queue.get("email", "first").orElseThrow().data()).hasToString("{\"n\":1}");

        queue.add(JobRequest.builder("email")
                .id("old")
                .data(Map.of())
                .group("shop")
                .tag("red")
                .priority(7)
                .build());
        queue.cancel("email", "old", CancelMode.IF_QUEUED);
        answer("jobs", Map.of("type", "email", "from", "old", "id", "new", "data", "{\"to\": \"ada\"}"));
        Job copy = queue.get("email", "new").orElseThrow();
        assertThat(copy.origin()).contains("job:email:old");
        assertThat(copy.group()).isEqualTo("shop");
        assertThat(copy.priority()).isEqualTo(7);
        assertThat(copy.tags()).containsExactly("red");
        assertThat(copy.data()).hasToString("{\"to\":\"ada\"}");
        assertThat(queue.get("email", "old").orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void a_job_that_cannot_be_added_is_refused_with_the_reason() throws Exception {
        answer("jobs", Map.of("type", "email", "id", "1", "data", "{}"));
        assertThat(browser.post("jobs", Map.of("type", "email", "id", "1", "data", "{}"))
                        .statusCode())
                .isEqualTo(409);
        assertThat(browser.post("jobs", Map.of("type", "email", "data", "[1]")).body())
                .contains("must be a JSON object");
        assertThat(browser.post("jobs", Map.of("type", "email", "data", "{")).body())
                .contains("is no JSON");
        assertThat(browser.post("jobs", Map.of("type", "", "data", "{}")).statusCode())
                .isEqualTo(400);
        assertThat(browser.post("jobs", Map.of("type", "email", "from", "none", "data", "{}"))
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void an_order_on_many_jobs_acts_on_those_that_pass_and_no_others() throws Exception {
        add(20, "email");
        add(3, "report");
        answer("bulk", Map.of("action", "cancel", "filter", Map.of("type", "email", "tag", "even")));
        JsonNode done = browser.json("bulk");
        while (!done.path("done").asBoolean()) {
            done = browser.json("bulk");
        }
        assertThat(done.at("/changed/cancelled").asLong()).isEqualTo(10);
        assertThat(done.path("problem").isNull()).isTrue();
        assertThat(queue.types().counts().get("email").byStatus())
                .containsEntry(JobStatus.CANCELLED, 10L)
                .containsEntry(JobStatus.WAITING, 10L);
        assertThat(queue.types().counts().get("report").byStatus()).containsEntry(JobStatus.WAITING, 3L);
        assertThat(browser.post("bulk", Map.of("action", "remove", "filter", Map.of()))
                        .statusCode())
                .as("all jobs of all types")
                .isEqualTo(400);
    }

    @Test
    void settings_of_a_type_are_changed_one_by_one_and_cleared() throws Exception {
        answer("types", Map.of("type", "email", "paused", true, "timeout", 5000, "limit", 3));
        assertThat(queue.types().settings("email").isPaused()).isTrue();
        assertThat(queue.types().timeout("email")).contains(Duration.ofSeconds(5));
        Map<String, Object> clear = new HashMap<>(Map.of("type", "email", "maxRetries", 2));
        clear.put("limit", null);
        answer("types", clear);
        JsonNode type = browser.json("types").at("/types/0");
        assertThat(type.path("paused").asBoolean()).isTrue();
        assertThat(type.path("limit").isNull()).isTrue();
        assertThat(type.path("maxRetries").asInt()).isEqualTo(2);
        assertThat(browser.post("types", Map.of("type", "email", "limit", -1)).statusCode())
                .isEqualTo(400);
        assertThat(browser.post("types", Map.of("type", "a:b", "paused", true)).statusCode())
                .isEqualTo(400);
    }

    @Test
    void how_many_start_in_a_time_and_how_long_jobs_are_kept_is_changed_and_cleared() throws Exception {
        Map<String, Object> rate = Map.of("starts", 100, "window", 60_000);
        answer(
                "types",
                Map.of("type", "email", "rate", rate, "retention", Map.of("newest", 5), "failureRetention", "forever"));
        assertThat(queue.types().settings("email").rate()).contains(new Rate(100, Duration.ofMinutes(1)));
        JsonNode type = browser.json("types").at("/types/0");
        assertThat(type.at("/retention/newest").asInt()).isEqualTo(5);
        assertThat(type.path("failureRetention").asText()).isEqualTo("forever");
        for (String field : new String[] {"rate", "retention", "failureRetention"}) {
            for (Object wrong : new Object[] {"odd", Map.of("newest", 0, "starts", 0, "window", 1), 7}) {
                assertThat(browser.post("types", Map.of("type", "email", field, wrong))
                                .statusCode())
                        .as("%s %s", field, wrong)
                        .isEqualTo(400);
            }
            Map<String, Object> clear = new HashMap<>(Map.of("type", "email"));
            clear.put(field, null);
            answer("types", clear);
        }
        assertThat(queue.types().settings("email").rate()).isEmpty();
        assertThat(queue.types().settings("email").retention()).isEqualTo(new Retention.For(Retention.STANDARD));
    }

    @Test
    void recurring_jobs_are_listed_run_and_switched_off_and_on() throws Exception {
        queue.schedules()
                .put(Schedule.named("nightly")
                        .cron("0 3 * * *")
                        .job(JobRequest.builder("report").data(Map.of()).build())
                        .build());
        JsonNode schedule = browser.json("recurring").at("/schedules/0");
        assertThat(schedule.path("cron").asText()).isEqualTo("0 3 * * *");
        assertThat(schedule.path("next").size()).isEqualTo(5);
        JsonNode made = answer("recurring", Map.of("name", "nightly", "action", "run"));
        assertThat(queue.get("report", made.at("/job/id").asText())).isPresent();
        answer("recurring", Map.of("name", "nightly", "action", "disable"));
        assertThat(browser.json("recurring").at("/schedules/0/next").size()).isZero();
        answer("recurring", Map.of("name", "nightly", "action", "enable"));
        assertThat(queue.schedules().get("nightly").orElseThrow().isEnabled()).isTrue();
        assertThat(browser.post("recurring", Map.of("name", "none", "action", "run"))
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void a_schedule_is_added_but_never_replaced() throws Exception {
        Map<String, String> nightly = Map.of(
                "action",
                "add",
                "name",
                "nightly",
                "type",
                "report",
                "cron",
                "0 3 * * *",
                "zone",
                "Europe/Rome",
                "data",
                "{\"of\": 1}");
        assertThat(browser.post("recurring", nightly).statusCode()).isEqualTo(200);
        JsonNode schedule = browser.json("recurring").at("/schedules/0");
        assertThat(schedule.path("cron").asText()).isEqualTo("0 3 * * *");
        assertThat(schedule.path("zone").asText()).isEqualTo("Europe/Rome");
        assertThat(schedule.path("last").isNull()).isTrue();
        assertThat(queue.schedules()
                        .get("nightly")
                        .orElseThrow()
                        .template()
                        .data()
                        .toString())
                .isEqualTo("{\"of\":1}");
        assertThat(browser.post("recurring", nightly).statusCode()).isEqualTo(409);
        assertThat(browser.post(
                                "recurring",
                                Map.of("action", "add", "name", "b", "type", "t", "cron", "x", "data", "{}"))
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void workers_are_told_with_what_they_run() throws Exception {
        queue.add(JobRequest.builder("email").data(Map.of()).id("1").build());
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (Worker worker = queue.worker()
                .id("worker-1")
                .handler("email", (job, context) -> {
                    running.countDown();
                    end.await();
                    return null;
                })
                .start()) {
            running.await();
            JsonNode first = browser.json("workers").at("/workers/0");
            assertThat(first.path("id").asText()).isEqualTo("worker-1");
            assertThat(first.path("silent").asBoolean()).isFalse();
            assertThat(first.at("/jobs/0/id").asText()).isEqualTo("1");
            assertThat(first.at("/types/0").asText()).isEqualTo("email");
            end.countDown();
        }
    }

    @Test
    void problems_are_what_the_numbers_say_and_what_checks_found() throws Exception {
        queue.add(JobRequest.builder("email").data(Map.of()).id("1").build());
        Problem found = new Problem("clock", Problem.Level.NOTE, "an hour off", "late", "set it");
        try (Dashboard checked =
                Dashboard.of(queue).problems(() -> List.of(found)).listen("127.0.0.1", 0)) {
            JsonNode problems = new Browser(checked.url()).json("problems").path("problems");
            assertThat(problems.at("/0/name").asText()).isEqualTo("email");
            assertThat(problems.at("/0/level").asText()).isEqualTo("problem");
            assertThat(problems.at("/1/finding").asText()).isEqualTo("an hour off");
        }
    }

    @Test
    void what_happens_is_told_to_all_who_listen_and_gathered() throws Exception {
        queue.add(JobRequest.builder("email").data(Map.of()).id("1").build());
        try (BufferedReader one = listen("");
                BufferedReader other = listen("?type=email&id=1")) {
            awaitTick(one, tick -> true);
            awaitTick(other, tick -> true);
            try (Worker worker = queue.worker()
                    .handler("email", (job, context) -> {
                        context.log("hello");
                        return null;
                    })
                    .start()) {
                assertThat(queue.awaitFinished("email", "1", PATIENCE)).isPresent();
                awaitTick(one, tick -> tick.at("/jobs/0/status").asText().equals("success"));
                await(other, "job", job -> job.path("status").asText().equals("success"));
            }
            awaitTick(one, tick -> tick.path("workers").asBoolean());
        }
        try (BufferedReader again = listen("")) {
            assertThat(browser.json("overview").path("history").toString()).contains("\"ok\":1", "\"types\":{\"");
        }
    }

    @Test
    void lines_of_the_log_are_told_to_who_looks_at_the_job() throws Exception {
        queue.add(JobRequest.builder("email").data(Map.of()).id("1").build());
        try (BufferedReader page = listen("?type=email&id=1");
                Worker worker = queue.worker()
                        .handler("email", (job, context) -> {
                            context.log("hello");
                            return null;
                        })
                        .start()) {
            await(page, "log", log -> log.at("/0/lines/0/text").asText().equals("hello"));
        }
    }

    @Test
    void an_array_is_shown_by_its_chunks_and_its_failed_items() throws Exception {
        JobRequest template =
                JobRequest.builder("page").id("crawl").data(Map.of()).build();
        queue.arrays().add(template, List.of(Map.of("n", 0), Map.of("n", 1), Map.of("n", 2)), 2);
        try (Worker worker = queue.worker()
                .handler("page", (item, context) -> {
                    if (item.path("n").asInt() == 1) {
                        throw new PermanentJobException("no such page");
                    }
                    return null;
                })
                .start()) {
            for (JobId chunk : queue.arrays().jobs(template.id())) {
                queue.awaitFinished(chunk, PATIENCE);
            }
        }
        JsonNode array = browser.json("array?type=page&id=crawl");
        assertThat(array.path("chunks")).hasSize(2);
        assertThat(array.at("/chunks/0/states").asText()).isEqualTo("sf");
        assertThat(array.at("/errors/0/message").asText()).isEqualTo("no such page");
        assertThat(array.at("/errors/0/index").asInt()).isEqualTo(1);
        assertThat(array.path("complete").asBoolean()).isTrue();
        JsonNode chunk = browser.json("job?type=page&id=crawl:000002");
        assertThat(chunk.at("/items/array").asText()).isEqualTo("crawl");

        assertThat(answer("array", Map.of("type", "page", "id", "crawl"))
                        .path("done")
                        .asText())
                .isEqualTo("1 chunk runs its failed items again");
        assertThat(queue.get("page", "crawl:000001").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
        assertThat(queue.get("page", "crawl:000002").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void who_listens_is_let_go_when_the_dashboard_closes() throws Exception {
        try (BufferedReader page = listen("")) {
            awaitTick(page, tick -> true);
            dashboard.close();
            try {
                while (page.readLine() != null) {}
            } catch (IOException cut) {
                // that is an end too
            }
        }
    }

    @Test
    void who_asks_only_for_the_head_of_the_events_takes_no_place_of_who_listens() throws Exception {
        for (int i = 0; i <= Hub.MOST_VIEWERS; i++) {
            var head = browser.head("api/events");
            assertThat(head.statusCode()).as("head %s", i).isEqualTo(200);
            assertThat(head.headers().firstValue("Content-Type")).contains("text/event-stream");
        }
        try (BufferedReader page = listen("")) {
            awaitTick(page, tick -> true);
        }
    }

    private BufferedReader listen(String query) throws IOException, InterruptedException {
        return new BufferedReader(new InputStreamReader(browser.events(query), StandardCharsets.UTF_8));
    }

    private static void awaitTick(BufferedReader events, java.util.function.Predicate<JsonNode> wanted)
            throws IOException {
        await(events, "tick", wanted);
    }

    private static void await(BufferedReader events, String name, java.util.function.Predicate<JsonNode> wanted)
            throws IOException {
        String event = "";
        for (String line = events.readLine(); line != null; line = events.readLine()) {
            if (line.startsWith("event: ")) {
                event = line.substring("event: ".length());
            } else if (line.startsWith("data: ") && event.equals(name)) {
                if (wanted.test(new JsonMapper().readTree(line.substring("data: ".length())))) {
                    return;
                }
            }
        }
        throw new AssertionError("the stream ended");
    }
}
