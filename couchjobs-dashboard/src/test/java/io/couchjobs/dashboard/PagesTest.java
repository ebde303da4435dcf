package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.type.Rate;
import io.couchjobs.type.Retention;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.Worker;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages in a real browser, with a queue in which everybody tries to have a script run. */
@Tag("browser")
@Timeout(300)
@SuppressWarnings("try") // the worker only has to be there
class PagesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int WIDTH = 1280;
    private static final int HEIGHT = 900;
    private static final String EVIL = "<img src=x onerror=\"window.pwned=1\"><script>window.pwned=1</script>";
    private static final String NAME = "</script><script>pwned=1</script>\"'><b>";
    /** Where pictures of the pages are kept, for people to look at; none are taken without it. */
    private static final @Nullable String SCREENSHOTS = System.getProperty("couchjobs.screenshots");

    private static EmbeddedCouch server;
    private static JobQueue queue;
    private static Dashboard dashboard;
    private static Worker worker;
    private static Chrome chrome;
    private static final CountDownLatch END = new CountDownLatch(1);

    @BeforeAll
    static void open() throws Exception {
        if (Chrome.driver().isEmpty()) {
            return;
        }
        server = EmbeddedCouch.inMemory().start();
        queue = JobQueue.builder(server.url().resolve("/pages").toString())
                .renewLeases(false)
                .open();
        fill();
        FixedCheck evil = new FixedCheck(NAME);
        evil.finds(Problem.Level.PROBLEM, EVIL);
        dashboard = Dashboard.of(queue).basePath("/jobs").checks(List.of(evil)).listen("127.0.0.1", 0);
        chrome = Chrome.start(WIDTH, HEIGHT);
    }

    private static void fill() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        worker = queue.worker()
                .id("worker " + NAME)
                .handler(NAME, (data, context) -> {
                    context.log("a line " + EVIL);
                    context.progress(40, EVIL);
                    if (data.has("runs")) {
                        running.countDown();
                        END.await();
                    }
                    throw new PermanentJobException("no such mailbox " + EVIL);
                })
                .handler("again", (data, context) -> {
                    if (context.fence() == 1) {
                        throw new PermanentJobException("the first run fails");
                    }
                    return Map.of("run", "second");
                })
                .start();
        queue.schedules()
                .put(Schedule.named(NAME)
                        .cron("0 3 * * *")
                        .job(JobRequest.of(NAME, Map.of()))
                        .build());
        fillTriggers();
        queue.types().change("paused", settings -> settings.withPaused(true));
        queue.add(evil("runs").data(Map.of("runs", EVIL)).build());
        queue.add(evil("fails").build());
        running.await();
        queue.awaitFinished(NAME, "fails" + NAME, PATIENCE);
        queue.arrays().add(evil("array").build(), Collections.nCopies(5, Map.of(EVIL, EVIL)), 2);
        for (JobId chunk : queue.arrays().jobs(new JobId(NAME, "array" + NAME))) {
            queue.awaitFinished(chunk, PATIENCE);
        }
        List<JobRequest> more = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            more.add(JobRequest.builder("paused")
                    .id("job-" + i)
                    .data(Map.of("n", i))
                    .scheduledTime(Instant.now().plusSeconds(60L * i))
                    .build());
        }
        queue.addAll(more);
    }

    /** Paused, so that what is written by hand stays. */
    private static void fillTriggers() {
        queue.triggers()
                .put(Trigger.named("mails")
                        .source("pages")
                        .selector(JsonNodeFactory.instance.objectNode().put("kind", EVIL))
                        .type(NAME)
                        .paused()
                        .build());
        ObjectNode position =
                queue.database().get("follow:mails:pages").orElseThrow().put("failed", 1);
        position.put("problem", EVIL)
                .putArray("errors")
                .addObject()
                .put("id", NAME)
                .put("rev", EVIL)
                .put("seq", "1")
                .put("at", 1)
                .put("reason", EVIL);
        queue.database().put(position);
        queue.database()
                .put(JsonNodeFactory.instance
                        .objectNode()
                        .put("_id", "trigger:" + EVIL)
                        .put("source", EVIL));
    }

    private static JobRequest.Builder evil(String id) {
        return JobRequest.builder(NAME)
                .id(id + NAME)
                .data(Map.of(EVIL, EVIL))
                .group(EVIL)
                .tag(EVIL)
                .origin(EVIL)
                .jobClass(EVIL)
                .correlationId(EVIL);
    }

    @AfterAll
    static void close() {
        END.countDown();
        if (server != null) {
            chrome.close();
            dashboard.close();
            worker.close(Duration.ofSeconds(5));
            queue.close();
            server.close();
        }
    }

    /** Each test is skipped, and so counted, where there is no browser. */
    @BeforeEach
    void calm() throws Exception {
        Assumptions.assumeTrue(chrome != null, "no chromedriver on the PATH");
        chrome.complaints();
        chrome.prefer("light");
    }

    private static void go(String page) throws IOException, InterruptedException {
        chrome.go(dashboard.url().resolve(page));
        chrome.awaitLive();
    }

    private static String job(String type, String id) {
        return "job?type=" + URLEncoder.encode(type, StandardCharsets.UTF_8) + "&id="
                + URLEncoder.encode(id, StandardCharsets.UTF_8);
    }

    private static List<String> pages() {
        return List.of(
                "",
                "jobs",
                "jobs?status=failed",
                job(NAME, "fails" + NAME),
                job(NAME, "runs" + NAME),
                job(NAME, "array" + NAME + ":000001"),
                job(NAME, "array" + NAME).replace("job?", "array?"),
                job("paused", "job-1"),
                "jobs?id=job-1",
                "failures",
                "history",
                "types",
                "recurring",
                "triggers",
                "trigger?name=mails",
                "workers",
                "problems");
    }

    @Test
    void what_users_wrote_is_shown_as_text_and_never_run() throws Exception {
        for (String page : pages()) {
            go(page);
            assertThat(chrome.run("return document.querySelectorAll('main img, main script, main b b').length")
                            .asInt())
                    .as(page)
                    .isZero();
            assertThat(chrome.run("return window.pwned === undefined").asBoolean())
                    .as(page)
                    .isTrue();
            assertThat(chrome.complaints()).as(page).isEmpty();
        }
        go(job(NAME, "fails" + NAME));
        chrome.awaitText("a line " + EVIL);
        chrome.awaitText("no such mailbox " + EVIL);
        assertThat(chrome.run("return document.querySelector('main').innerText").asText())
                .contains("fails" + NAME, EVIL)
                .contains("#" + EVIL);
    }

    @Test
    void nothing_is_asked_of_another_host() throws Exception {
        for (String page : pages()) {
            go(page);
            for (JsonNode resource : chrome.run("return performance.getEntriesByType('resource').map(r => r.name)")) {
                assertThat(resource.asText()).startsWith(dashboard.url().toString());
            }
        }
    }

    @Test
    void pages_are_live() throws Exception {
        go("jobs?type=live");
        chrome.awaitText("0 jobs");
        queue.add(JobRequest.builder("live").id("newcomer").data(Map.of()).build());
        chrome.awaitText("newcomer");
        go("job?type=live&id=newcomer");
        chrome.awaitText("Waits to run");
        chrome.await("document.querySelector('.reasons button[aria-label^=\"Copy couchjobs work live -- COMMAND\"]')");
        queue.cancel("live", "newcomer", io.couchjobs.job.CancelMode.IF_QUEUED);
        chrome.awaitText("Was cancelled");
        queue.remove("live", "newcomer");
        chrome.awaitText("This job was removed");
    }

    @Test
    void a_chart_of_runs_names_how_many_there_were_in_all() throws Exception {
        go("history");
        chrome.await("[...document.querySelectorAll('.plot')].some(plot =>"
                + " /runs per .*Ended well \\d+\\s+Failed runs [1-9]/is.test(plot.innerText))");
    }

    @Test
    void filters_and_pages_are_in_the_url() throws Exception {
        go("jobs");
        chrome.run("const s = document.querySelector('select[name=type]'); s.value = 'paused';"
                + " s.dispatchEvent(new Event('change', {bubbles: true}))");
        chrome.await("location.search === '?type=paused'");
        chrome.awaitText("60 jobs");
        chrome.click(".pager a:last-child");
        chrome.await("location.search.includes('after=') && document.querySelectorAll('tbody tr').length === 10");
        String url = chrome.run("return location.href").asText();
        String first = chrome.run("return document.querySelector('tbody .id').innerText")
                .asText();
        go("");
        go(url);
        chrome.await(
                "document.querySelector('tbody .id') && document.querySelector('tbody .id').innerText === arguments[0]",
                first);
        assertThat(chrome.run("return document.querySelector('select[name=type]').value")
                        .asText())
                .isEqualTo("paused");
        chrome.run("history.back()");
        chrome.await("!location.search.includes('after=')");
    }

    @Test
    void jobs_of_a_class_or_an_origin_are_listed_by_a_click_on_its_label() throws Exception {
        queue.add(JobRequest.builder("labelled")
                .id("1")
                .data(Map.of())
                .scheduledTime(Instant.now().plusSeconds(3600))
                .jobClass("urgent")
                .origin("web")
                .build());
        for (String label : List.of("class urgent", "origin web")) {
            String name = label.replaceFirst(" .*", "");
            go("job?type=labelled&id=1");
            chrome.click("a[title='" + label + "']");
            chrome.await("location.search === '?" + label.replace(' ', '=') + "'");
            chrome.await("document.querySelectorAll('tbody tr').length === 1"
                    + " && document.querySelector('input[name=" + name + "]').value !== ''");
        }
    }

    @Test
    void a_failed_job_says_why_and_succeeds_after_a_click_on_retry() throws Exception {
        queue.add(JobRequest.builder("again").id("1").data(Map.of()).build());
        queue.awaitFinished("again", "1", PATIENCE);
        go("job?type=again&id=1");
        chrome.awaitText("Failed for good");
        chrome.awaitText("the first run fails");
        chrome.click(".job-head .group button");
        chrome.awaitText("will run again now");
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
    void a_job_that_waits_says_why_and_what_to_do() throws Exception {
        go(job("paused", "job-0"));
        chrome.awaitText("type paused is paused");
        chrome.awaitText("couchjobs resume paused");
        queue.types().change("paused", settings -> settings.withPaused("the mail server moves"));
        chrome.awaitText("type paused is paused: the mail server moves");
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
    void an_address_of_no_page_leads_back() throws Exception {
        go("nowhere");
        chrome.awaitText("There is no such page");
        assertAccessible("nowhere");
        chrome.click("main a");
        chrome.await("document.querySelector('.tiles')");
    }

    @Test
    void the_last_minutes_are_shown_of_all_types_or_of_one() throws Exception {
        go("");
        chrome.await("document.querySelector('.charts').textContent.includes('Ran p50')");
        chrome.run("const choice = document.querySelector('.card select'); choice.value = 'again';"
                + "choice.dispatchEvent(new Event('change', { bubbles: true }))");
        queue.add(JobRequest.builder("again").id("seen").data(Map.of()).build());
        chrome.await("document.querySelector('.card select').value === 'again'"
                + " && document.querySelectorAll('.area.is-failed[d^=M]').length > 0");
    }

    private static void write(String field, String text) throws IOException, InterruptedException {
        chrome.run(
                "const field = document.querySelector('dialog [name=' + arguments[0] + ']'); field.value = arguments[1];"
                        + " field.dispatchEvent(new Event('input', {bubbles: true}))",
                field,
                text);
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
    void what_users_wrote_is_text_in_questions_and_notices_too() throws Exception {
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
    void a_trigger_is_opened_sent_back_after_a_question_and_its_errors_are_tried_again() throws Exception {
        queue.triggers()
                .put(Trigger.named("orders")
                        .source("pages")
                        .type("order")
                        .selector(JsonNodeFactory.instance.objectNode().put("_id", "none"))
                        .paused()
                        .build());
        ObjectNode position = queue.database().get("follow:orders:pages").orElseThrow();
        position.put("failed", 1)
                .putArray("errors")
                .addObject()
                .put("id", "o1")
                .put("rev", "1-a")
                .put("seq", "1")
                .put("at", 1)
                .put("reason", "no field /mail");
        queue.database().put(position);
        go("triggers");
        chrome.await("document.querySelector(\"button[aria-label='Resume orders']\")");
        chrome.click("th a[href='trigger?name=orders']");
        chrome.awaitText("no field /mail");
        clickNamed("Retry errors");
        chrome.awaitText("1 change is tried again");
        assertThat(queue.triggers().errors("orders")).isEmpty();
        clickNamed("Replay");
        chrome.awaitText("Send orders back?");
        chrome.press(Chrome.Key.ESCAPE);
        chrome.await("!document.querySelector('dialog')");
        clickNamed("Replay");
        chrome.awaitText("Send orders back?");
        assertAccessible("the question before a trigger is sent back");
        chrome.click("dialog button[type=submit]");
        chrome.awaitText("goes on from beginning");
        assertThat(queue.triggers().status("orders").sources().get(0).position())
                .isEqualTo("0");
        clickNamed("Remove");
        chrome.awaitText("Remove orders?");
        chrome.click("dialog button[type=submit]");
        chrome.await("location.pathname.endsWith('/triggers')");
        assertThat(queue.triggers().get("orders")).isEmpty();
    }

    private static void clickNamed(String text) throws IOException, InterruptedException {
        String button = "[...document.querySelectorAll('.job-head button')].find(b => b.innerText === arguments[0])";
        chrome.await(button, text);
        chrome.run(button + ".click()", text);
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

    @Test
    void links_between_pages_load_nothing_anew_and_move_the_focus() throws Exception {
        go("");
        chrome.run("window.same = true");
        chrome.click("nav[aria-label=Pages] a[href=types]");
        chrome.await("location.pathname === '/jobs/types' && document.activeElement.tagName === 'H1'");
        assertThat(chrome.run("return window.same === true").asBoolean()).isTrue();
        assertThat(chrome.run("return document.title").asText()).isEqualTo("Types · couchjobs");
    }

    @Test
    void all_can_be_done_without_a_mouse() throws Exception {
        queue.types().change("keys", settings -> settings.withPaused(false).withTimeout(Duration.ofMinutes(1)));
        go("types");
        chrome.await("document.querySelector(\"button[aria-label='Pause keys']\")");
        chrome.run("document.activeElement.blur()");
        chrome.press(Chrome.Key.TAB);
        assertThat(focus("className")).isEqualTo("skip");
        chrome.press(Chrome.Key.ENTER);
        assertThat(focus("id")).isEqualTo("main");
        tabTo("Pause keys");
        chrome.press(Chrome.Key.ENTER);
        chrome.awaitText("Pause keys?");
        chrome.await("document.activeElement.innerText === 'Back'");
        chrome.press(Chrome.Key.ESCAPE);
        chrome.await("document.activeElement.getAttribute('aria-label') === 'Pause keys'");
        assertThat(queue.types().settings("keys").isPaused()).isFalse();
        chrome.press(Chrome.Key.ENTER);
        chrome.await("document.querySelector('dialog') && document.activeElement.innerText === 'Back'");
        chrome.press(Chrome.Key.TAB);
        chrome.press(Chrome.Key.ENTER);
        chrome.await("document.querySelector(\"button[aria-label='Resume keys']\")");
        assertThat(queue.types().settings("keys").isPaused()).isTrue();
    }

    private static void tabTo(String label) throws IOException, InterruptedException {
        for (int i = 0; i < 50; i++) {
            if (label.equals(chrome.run("return document.activeElement.getAttribute('aria-label')")
                    .asText())) {
                return;
            }
            chrome.press(Chrome.Key.TAB);
        }
        throw new AssertionError("50 tabs do not lead to " + label);
    }

    private static String focus(String property) throws IOException, InterruptedException {
        return chrome.run("return document.activeElement[arguments[0]]", property)
                .asText();
    }

    /** A browser has six connections to a host; a stream for each page, or for pages left behind, would use them up. */
    @Test
    void more_pages_than_a_browser_has_connections_are_all_live_when_they_are_looked_at() throws Exception {
        for (int i = 0; i < 7; i++) {
            go(i % 2 == 0 ? "types" : "workers");
        }
        String first = chrome.openTab();
        for (int i = 0; i < 7; i++) {
            go("types");
            chrome.openTab();
        }
        queue.add(JobRequest.builder("seen-late").id("1").data(Map.of()).build());
        chrome.closeTabsBut(first);
        chrome.awaitText("seen-late");
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void an_accessibility_check_finds_nothing_against_wcag_aa(String scheme) throws Exception {
        chrome.prefer(scheme);
        int number = 0;
        for (String page : pages()) {
            go(page);
            picture(scheme + "-" + number++);
            assertAccessible(page);
        }
        go(job(NAME, "fails" + NAME));
        chrome.click(".job-head .group button:last-child");
        chrome.awaitText("Run it again with other data?");
        assertAccessible("the question before a job is run again");
    }

    /** What the levels A and AA of WCAG 2.2 say, and whatever else is serious. */
    private static void assertAccessible(String page) throws IOException, InterruptedException {
        chrome.run(axe());
        JsonNode violations = chrome.run("return axe.run().then(r => r.violations"
                + ".filter(v => v.tags.some(tag => /^wcag2\\d?a{1,2}$/.test(tag)) || v.impact === 'serious' || v.impact === 'critical')"
                + ".map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html + ' ' + n.failureSummary).join('; ')))");
        assertThat(violations).as(page).isEmpty();
    }

    @Test
    void on_a_phone_nothing_is_wider_than_the_screen_and_all_is_accessible() throws Exception {
        chrome.resize(390, 844);
        try {
            int number = 0;
            for (String page : pages()) {
                go(page);
                picture("phone-" + number++);
                assertAccessible(page);
                assertThat(chrome.run("return document.documentElement.scrollWidth - window.innerWidth")
                                .asInt())
                        .as(page)
                        .isLessThanOrEqualTo(0);
                assertThat(chrome.run("const name = document.querySelector('nav [aria-current]');"
                                        + "return !name || name.getBoundingClientRect().right <= innerWidth")
                                .asBoolean())
                        .as("the name of %s is in sight", page)
                        .isTrue();
            }
        } finally {
            chrome.resize(WIDTH, HEIGHT);
        }
    }

    @Test
    void on_a_phone_the_number_of_problems_is_in_sight() throws Exception {
        queue.add(JobRequest.builder("nobody").id("runs it").data(Map.of()).build());
        chrome.resize(390, 844);
        try {
            go("");
            chrome.await(
                    "document.querySelector('.urgent') && document.querySelector('.urgent').offsetParent !== null");
            assertAccessible("with a problem");
            chrome.click(".urgent");
            chrome.awaitText("nobody");
        } finally {
            chrome.resize(WIDTH, HEIGHT);
            queue.remove("nobody", "runs it");
        }
    }

    private static void picture(String name) throws IOException, InterruptedException {
        if (SCREENSHOTS != null) {
            chrome.screenshot(Path.of(SCREENSHOTS, name + ".png"));
        }
    }

    private static String axe() throws IOException {
        try (InputStream in =
                PagesTest.class.getResourceAsStream("/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
