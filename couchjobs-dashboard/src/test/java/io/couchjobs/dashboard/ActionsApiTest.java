package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.type.Rate;
import io.couchjobs.type.Retention;
import io.couchjobs.type.RetryPolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the dashboard changes when somebody asks it to. */
@ServerTest
@Timeout(120)
@SuppressWarnings("try") // who works, or listens, only has to be there
class ActionsApiTest extends OpenDashboard {
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
    void a_job_is_added_with_as_much_data_as_its_page_lets_people_edit() throws Exception {
        String text = "x".repeat(100_000);
        answer("jobs", Map.of("type", "email", "id", "long", "data", "{\"text\": \"" + text + "\"}"));
        Job job = queue.withData(queue.get("email", "long").orElseThrow());
        assertThat(job.data().path("text").asText()).isEqualTo(text);
    }

    @Test
    void text_behind_the_data_of_a_job_is_refused() throws Exception {
        var refused = browser.post("jobs", Map.of("type", "email", "id", "1", "data", "{\"n\": 1} {\"n\": 2}"));
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("the data is no JSON");
        assertThat(queue.get("email", "1")).isEmpty();
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
    void no_number_of_retries_is_the_default_and_leaves_the_delays() throws Exception {
        RetryPolicy policy = new RetryPolicy(9, Duration.ofSeconds(7), Duration.ofHours(1), 0.5);
        queue.types().change("email", settings -> settings.withRetryPolicy(policy));
        Map<String, Object> clear = new HashMap<>(Map.of("type", "email"));
        clear.put("maxRetries", null);
        assertThat(answer("types", clear).path("maxRetries").asInt()).isEqualTo(RetryPolicy.DEFAULT.maxRetries());
        assertThat(queue.types().settings("email").retryPolicy().delay()).isEqualTo(policy.delay());
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
}
