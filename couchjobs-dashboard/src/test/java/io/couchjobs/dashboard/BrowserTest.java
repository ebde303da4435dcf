package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.trigger.Trigger;
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
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Pages in a real browser, with a queue in which everybody tries to have a script run. */
@Tag("browser")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BrowserTest {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final String EVIL = "<img src=x onerror=\"window.pwned=1\"><script>window.pwned=1</script>";
    static final String NAME = "</script><script>pwned=1</script>\"'><b>";
    private static final int WIDTH = 1280;
    private static final int HEIGHT = 900;
    /** Where pictures of the pages are kept, for people to look at; none are taken without it. */
    private static final @Nullable String SCREENSHOTS = System.getProperty("couchjobs.screenshots");

    EmbeddedCouch server;
    JobQueue queue;
    Dashboard dashboard;
    Chrome chrome;
    private Worker worker;
    private final CountDownLatch end = new CountDownLatch(1);

    @BeforeAll
    void open() throws Exception {
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

    private void fill() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        worker = queue.worker()
                .id("worker " + NAME)
                .handler(NAME, (data, context) -> {
                    context.log("a line " + EVIL);
                    context.progress(40, EVIL);
                    if (data.has("runs")) {
                        running.countDown();
                        end.await();
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
    private void fillTriggers() {
        queue.triggers()
                .put(Trigger.named("mails")
                        .source("pages")
                        .selector(JsonNodeFactory.instance.objectNode().put("kind", EVIL))
                        .type(NAME)
                        .paused()
                        .build());
        queue.database()
                .put(Queues.failed(queue, "follow:mails:pages", NAME, EVIL, EVIL)
                        .put("problem", EVIL));
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
    void close() {
        end.countDown();
        if (server != null) {
            if (chrome != null) {
                chrome.close();
            }
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

    void go(String page) throws IOException, InterruptedException {
        chrome.go(dashboard.url().resolve(page));
        chrome.awaitLive();
    }

    static String job(String type, String id) {
        return "job?type=" + URLEncoder.encode(type, StandardCharsets.UTF_8) + "&id="
                + URLEncoder.encode(id, StandardCharsets.UTF_8);
    }

    static List<String> pages() {
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

    void write(String field, String text) throws IOException, InterruptedException {
        chrome.run(
                "const field = document.querySelector('dialog [name=' + arguments[0] + ']'); field.value = arguments[1];"
                        + " field.dispatchEvent(new Event('input', {bubbles: true}))",
                field,
                text);
    }

    void clickNamed(String text) throws IOException, InterruptedException {
        String button = "[...document.querySelectorAll('.job-head button')].find(b => b.innerText === arguments[0])";
        chrome.await(button, text);
        chrome.run(button + ".click()", text);
    }

    void beAPhone() throws IOException, InterruptedException {
        chrome.resize(390, 844);
    }

    void beADesk() throws IOException, InterruptedException {
        chrome.resize(WIDTH, HEIGHT);
    }

    /** What the levels A and AA of WCAG 2.2 say, and whatever else is serious. */
    void assertAccessible(String page) throws IOException, InterruptedException {
        chrome.run(axe());
        JsonNode violations = chrome.run("return axe.run().then(r => r.violations"
                + ".filter(v => v.tags.some(tag => /^wcag2\\d?a{1,2}$/.test(tag)) || v.impact === 'serious' || v.impact === 'critical')"
                + ".map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html + ' ' + n.failureSummary).join('; ')))");
        assertThat(violations).as(page).isEmpty();
    }

    void picture(String name) throws IOException, InterruptedException {
        if (SCREENSHOTS != null) {
            chrome.screenshot(Path.of(SCREENSHOTS, name + ".png"));
        }
    }

    private static String axe() throws IOException {
        try (InputStream in =
                BrowserTest.class.getResourceAsStream("/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
