package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.embedded.Faults;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.type.Rate;
import io.couchjobs.type.Retention;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What can be done on pages. */
class PageActionsTest extends BrowserTest {
    @Test
    void a_failed_job_says_why_and_succeeds_after_a_click_on_retry() throws Exception {
        queue.add(JobRequest.builder("again").id("1").data(Map.of()).build());
        queue.awaitFinished("again", "1", PATIENCE);
        go("job?type=again&id=1");
        chrome.awaitText("Failed for good");
        chrome.awaitText("the first run fails");
        chrome.click(".job-head .group button");
        chrome.awaitToast("will run again now");
        chrome.awaitText("\"run\" : \"second\"");
        chrome.awaitText("Succeeded");
        assertThat(queue.get("again", "1").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void a_failed_job_is_run_again_with_other_data_as_a_new_one_that_names_it() throws Exception {
        queue.add(JobRequest.builder("again")
                .id("typo")
                .data(Map.of("to", "adda"))
                .build());
        queue.awaitFinished("again", "typo", PATIENCE);
        go("job?type=again&id=typo");
        chrome.click(".job-head .group button:last-child");
        chrome.awaitText("Run it again with other data?");
        write("data", "{\"to\": ");
        chrome.click("dialog button[type=submit]");
        assertThat(chrome.run("return document.querySelector('dialog').open").asBoolean())
                .isTrue();
        write("data", "{\"to\": \"ada\"}");
        write("id", "typo-2");
        picture("edit");
        chrome.click("dialog button[type=submit]");
        chrome.await("location.search === '?type=again&id=typo-2'");
        chrome.awaitText("from job:again:typo");
        assertThat(queue.get("again", "typo-2").orElseThrow().data()).hasToString("{\"to\":\"ada\"}");
        chrome.click("a[title='origin job:again:typo']");
        chrome.await("location.search === '?type=again&id=typo'");
    }

    @Test
    void a_job_is_added_from_the_page_of_jobs() throws Exception {
        go("jobs?type=paused");
        chrome.click(".job-head .group button");
        chrome.awaitText("Add a job");
        write("id", "by-hand");
        write("data", "{\"n\": 9007199254740993}");
        chrome.click("dialog button[type=submit]");
        chrome.await("location.search === '?type=paused&id=by-hand'");
        assertThat(queue.get("paused", "by-hand").orElseThrow().data()).hasToString("{\"n\":9007199254740993}");
        queue.remove("paused", "by-hand");
    }

    @Test
    void failures_are_shown_in_groups_and_a_group_is_retried_after_a_question() throws Exception {
        queue.add(JobRequest.builder("again").id("in a group").data(Map.of()).build());
        queue.awaitFinished("again", "in a group", PATIENCE);
        go("failures");
        chrome.awaitText("the first run fails");
        chrome.click("[aria-label='Retry jobs of type again: the first run fails']");
        chrome.awaitText("that failed by “the first run fails” runs again now");
        chrome.click("dialog button[type=submit]");
        chrome.await("!document.querySelector('[aria-label=\"Retry jobs of type again: the first run fails\"]')");
        queue.awaitFinished("again", "in a group", PATIENCE);
        assertThat(queue.get("again", "in a group").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void the_failed_items_of_an_array_run_again_after_a_click() throws Exception {
        queue.addArray(JobType.of("again", Map.class), "list", List.of(Map.of("n", 0), Map.of("n", 1)));
        JobId chunk = new JobId("again", "list:000001");
        queue.awaitFinished(chunk, PATIENCE);
        go("array?type=again&id=list");
        chrome.awaitText("2 items: 2 failed for good");
        chrome.awaitText("the first run fails");
        chrome.click(".job-head .group button");
        chrome.awaitText("2 items: 2 succeeded");
        chrome.click(".chunks a");
        chrome.awaitText("Array list");
        assertThat(queue.get(chunk).orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void many_jobs_are_cancelled_after_a_question_that_says_how_many() throws Exception {
        for (int i = 0; i < 7; i++) {
            queue.add(JobRequest.builder("bulk").id("b" + i).data(Map.of()).build());
        }
        go("jobs?type=bulk&status=waiting");
        chrome.awaitText("7 jobs");
        assertThat(chrome.run("const type = document.querySelector('.joblink .type');"
                                + " return type.scrollWidth <= type.clientWidth")
                        .asBoolean())
                .as("a short type is shown whole")
                .isTrue();
        chrome.click(".tools .danger");
        chrome.awaitText("Cancel 7 jobs?");
        chrome.press(Chrome.Key.ESCAPE);
        chrome.await("!document.querySelector('dialog')");
        assertThat(queue.types().counts().get("bulk").byStatus()).containsEntry(JobStatus.WAITING, 7L);
        chrome.click(".tools .danger");
        chrome.awaitText("Cancel 7 jobs?");
        picture("dialog");
        chrome.click("dialog .danger");
        chrome.awaitText("7 done");
        assertThat(queue.types().counts().get("bulk").byStatus()).containsEntry(JobStatus.CANCELLED, 7L);
    }

    @Test
    void the_order_of_somebody_else_is_shown_to_those_whom_it_keeps_from_giving_another() throws Exception {
        queue.add(JobRequest.builder("ordered").id("1").data(Map.of()).build());
        go("jobs?type=ordered&status=waiting");
        Faults.Held held = server.faults()
                .delay(Integer.MAX_VALUE, request -> request.path().endsWith("/_bulk_docs"));
        try {
            Map<String, Object> order = Map.of("action", "cancel", "filter", Map.of("type", "ordered"));
            assertThat(new Browser(dashboard.url()).post("bulk", order).statusCode())
                    .isEqualTo(200);
            chrome.run(
                    "[...document.querySelectorAll('.card .group button')].find(b => b.innerText === 'Cancel …').click()");
            chrome.click("dialog button[type=submit]");
            chrome.awaitText("another order is being carried out");
            chrome.await("[...document.querySelectorAll('.bulk button')].some(b => b.innerText === 'Stop')");
        } finally {
            held.release();
        }
        chrome.await("document.querySelector('.bulk')?.innerText.includes('finished')");
    }

    @Test
    void a_text_of_users_is_shown_as_text_in_questions_and_notices_too() throws Exception {
        go(job(NAME, "fails" + NAME));
        chrome.click(".job-head .group .danger");
        chrome.await(
                "(document.querySelector('dialog') || {innerText: ''}).innerText.includes(arguments[0])",
                "fails" + NAME);
        assertThat(chrome.run("return document.querySelectorAll('dialog script, dialog h2 b').length")
                        .asInt())
                .isZero();
        chrome.press(Chrome.Key.ESCAPE);
        chrome.await("!document.querySelector('dialog')");
        chrome.click(".job-head .group button");
        chrome.await(
                "(document.querySelector('.toast') || {innerText: ''}).innerText.includes(arguments[0])",
                "fails" + NAME);
        go("recurring");
        chrome.click("td.act button");
        chrome.await("(document.querySelector('dialog h2') || {innerText: ''}).innerText.includes(arguments[0])", NAME);
        assertThat(chrome.run("return document.querySelectorAll('.toast script, .toast b, dialog script').length")
                        .asInt())
                .isZero();
        assertThat(chrome.run("return window.pwned === undefined").asBoolean()).isTrue();
    }

    @Test
    void a_schedule_is_added_from_its_page() throws Exception {
        go("recurring");
        chrome.click(".job-head .button");
        chrome.awaitText("Add a schedule");
        write("name", "nightly");
        write("type", "report");
        chrome.click("dialog button[type=submit]");
        chrome.awaitText("nightly");
        chrome.awaitText("never");
        assertThat(queue.schedules().get("nightly").orElseThrow().type()).isEqualTo("report");
        queue.schedules().remove("nightly");
    }

    @Test
    void a_trigger_is_opened_sent_back_after_a_question_and_its_errors_are_tried_again() throws Exception {
        queue.triggers()
                .put(Trigger.named("orders")
                        .source("pages")
                        .type("order")
                        .selector(JsonNodeFactory.instance.objectNode().put("_id", "none"))
                        .paused()
                        .build());
        queue.database().put(Queues.failed(queue, "follow:orders:pages", "o1", "1-a", "no field /mail"));
        go("triggers");
        chrome.await("document.querySelector(\"button[aria-label='Resume orders']\")");
        chrome.click("th a[href='trigger?name=orders']");
        chrome.awaitText("no field /mail");
        clickNamed("Retry errors");
        chrome.awaitToast("1 change is tried again");
        assertThat(queue.triggers().errors("orders")).isEmpty();
        clickNamed("Replay");
        chrome.awaitText("Send orders back?");
        chrome.press(Chrome.Key.ESCAPE);
        chrome.await("!document.querySelector('dialog')");
        clickNamed("Replay");
        chrome.awaitText("Send orders back?");
        assertAccessible("the question before a trigger is sent back");
        chrome.click("dialog button[type=submit]");
        chrome.awaitToast("goes on from beginning");
        assertThat(queue.triggers().status("orders").sources().get(0).position())
                .isEqualTo("0");
        clickNamed("Remove");
        chrome.awaitText("Remove orders?");
        chrome.click("dialog button[type=submit]");
        chrome.await("location.pathname.endsWith('/triggers')");
        assertThat(queue.triggers().get("orders")).isEmpty();
    }

    @Test
    void a_type_is_paused_and_resumed() throws Exception {
        queue.add(JobRequest.builder("zz").id("1").data(Map.of()).build());
        go("types");
        chrome.click("button[aria-label='Pause zz']");
        chrome.awaitText("Pause zz?");
        chrome.click("dialog button[type=submit]");
        chrome.await("document.querySelector(\"button[aria-label='Resume zz']\")");
        assertThat(queue.types().settings("zz").isPaused()).isTrue();
        chrome.click("button[aria-label='Resume zz']");
        chrome.await("document.querySelector(\"button[aria-label='Pause zz']\")");
        assertThat(queue.types().settings("zz").isPaused()).isFalse();
    }

    @Test
    void a_type_gets_a_rate_and_a_retention_in_its_dialog_which_takes_no_nonsense() throws Exception {
        queue.add(JobRequest.builder("zy").id("1").data(Map.of()).build());
        go("types");
        chrome.click("button[aria-label='Settings of zy']");
        chrome.awaitText("Settings of zy");
        chrome.run("document.querySelector('dialog input[name=retention]').value = 'soon'");
        chrome.click("dialog button[type=submit]");
        assertThat(chrome.run("return document.querySelector('dialog').open").asBoolean())
                .isTrue();
        chrome.run(
                "for (const [name, value] of Object.entries(arguments[0]))"
                        + " document.querySelector(`dialog input[name=${name}]`).value = value",
                Map.of("rateStarts", "100", "rateWindow", "90", "retention", "7d", "failureRetention", "20"));
        picture("settings");
        chrome.click("dialog button[type=submit]");
        chrome.awaitText("100 per");
        assertThat(queue.types().settings("zy").rate()).contains(new Rate(100, Duration.ofSeconds(90)));
        assertThat(queue.types().settings("zy").retention()).isEqualTo(new Retention.For(Duration.ofDays(7)));
        assertThat(queue.types().settings("zy").failureRetention()).isEqualTo(new Retention.Newest(20));
        chrome.click("button[aria-label='Settings of zy']");
        chrome.run(
                "for (const name of arguments[0]) document.querySelector(`dialog input[name=${name}]`).value = ''",
                List.of("rateStarts", "retention"));
        chrome.click("dialog button[type=submit]");
        chrome.await("!document.body.innerText.includes('100 per')");
        assertThat(queue.types().settings("zy").rate()).isEmpty();
        assertThat(queue.types().settings("zy").retention()).isEqualTo(new Retention.For(Retention.STANDARD));
        assertThat(queue.types().settings("zy").failureRetention()).isEqualTo(new Retention.Newest(20));
    }
}
