package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.Problem;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.type.Retention;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.Worker;
import java.io.IOException;
import java.nio.charset.Charset;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the dashboard's pages ask, and what they are answered. */
@ServerTest
@Timeout(120)
@SuppressWarnings("try") // who works, or listens, only has to be there
class ApiTest extends OpenDashboard {
    private static final String EVIL = "<script>alert(1)</script>";

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
        JobFilter again = JobFilter.all().type("email").status(JobStatus.WAITING);
        Chrome.until(
                "the group runs again", PATIENCE, () -> queue.list(again, 10).size() == 3);
        Chrome.until(
                "the open dashboard shows one group",
                PATIENCE,
                () -> browser.json("failures").path("groups").size() == 1);
        try (Dashboard fresh = Dashboard.of(queue).listen("127.0.0.1", 0)) {
            assertThat(new Browser(fresh.url()).json("failures").path("groups")).hasSize(1);
        }
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
        FixedCheck clock = new FixedCheck("clock");
        clock.finds(Problem.Level.NOTE, "an hour off");
        try (Dashboard checked = Dashboard.of(queue).checks(List.of(clock)).listen("127.0.0.1", 0)) {
            JsonNode problems = new Browser(checked.url()).json("problems").path("problems");
            assertThat(problems.at("/0/name").asText()).isEqualTo("email");
            assertThat(problems.at("/0/level").asText()).isEqualTo("problem");
            assertThat(problems.at("/1/finding").asText()).isEqualTo("an hour off");
        }
    }

    @Test
    void an_array_whose_last_chunk_retention_deleted_is_shown_as_complete() throws Exception {
        queue.types().change("page", settings -> settings.withRetention(new Retention.Delete()));
        JobRequest template =
                JobRequest.builder("page").id("crawl").data(Map.of()).build();
        queue.arrays().add(template, List.of(Map.of("n", 0), Map.of("n", 1)), 1);
        List<ClaimedJob> claims = new ArrayList<>();
        while (claims.size() < 2) {
            claims.addAll(queue.accept(AcceptOptions.of("page")));
        }
        claims.stream().filter(claim -> claim.id().id().equals("crawl:000002")).forEach(ClaimedJob::finish);
        queue.operations().gc().keepFinished(Duration.ZERO).run();

        JsonNode array = browser.json("array?type=page&id=crawl");
        assertThat(array.path("chunks")).hasSize(1);
        assertThat(array.path("complete").asBoolean()).isTrue();
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

        answer("bulk", Map.of("action", "retry", "array", Map.of("type", "page", "id", "crawl")));
        Chrome.until(
                "the failed chunk runs again",
                PATIENCE,
                () -> queue.get("page", "crawl:000001").orElseThrow().status() == JobStatus.WAITING);
        assertThat(queue.get("page", "crawl:000002").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }
}
