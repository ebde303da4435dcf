package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobType;
import io.couchjobs.worker.Worker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pages that stay open while things happen. */
class LivePagesTest extends BrowserTest {
    @Test
    void a_text_that_somebody_types_into_a_filter_or_a_dialog_stays() throws Exception {
        go("jobs");
        clickNamed("Add a job …");
        for (String field : List.of("form.filters input[name=tag]", "dialog input[name=type]")) {
            chrome.await("document.querySelector(arguments[0])", field);
            chrome.run("document.querySelector(arguments[0]).value = 'half ty'", field);
            awaitSeconds(2);
            assertThat(chrome.run("return document.querySelector(arguments[0]).value", field)
                            .asText())
                    .as(field)
                    .isEqualTo("half ty");
        }
    }

    @ParameterizedTest
    @CsvSource({"jobs, api/jobs", "'', api/overview"})
    void a_page_waits_for_a_slow_answer_and_shows_it_though_more_happens_meanwhile(String page, String asked)
            throws Exception {
        go(page);
        hold(asked);
        chrome.run("setInterval(() => dispatchEvent(new CustomEvent('couchjobs-tick', "
                + "{ detail: { more: true, jobs: [] } })), 50)");
        chrome.await("window.held.length > 0");
        awaitSeconds(2);
        assertThat(chrome.run("return window.held.length").asInt()).isEqualTo(1);
        chrome.run("window.held[0]({ count: 4321, name: '4,321' })");
        chrome.awaitText("4,321");
        chrome.await("window.held.length === 2");
    }

    @Test
    void an_answer_from_before_the_news_of_a_job_does_not_replace_it() throws Exception {
        String page = job("paused", "job-1");
        go(page);
        chrome.awaitText("Waits to run");
        JsonNode job = chrome.run("return fetch('api/' + arguments[0]).then((answer) => answer.json())", page);
        hold("api/job?");
        tell("job", "{}");
        chrome.await("window.held.length > 0");
        tell("job", ((ObjectNode) job).put("status", "cancelled").toString());
        chrome.awaitText("Was cancelled");
        chrome.run("return window.held[0]()");
        awaitSeconds(2);
        assertThat(chrome.run("return document.querySelector('.sentence').innerText")
                        .asText())
                .contains("Was cancelled");
    }

    @Test
    @SuppressWarnings("try") // the worker only has to be there
    void lines_that_were_logged_while_the_page_was_in_the_background_are_shown() throws Exception {
        CountDownLatch away = new CountDownLatch(1);
        CountDownLatch back = new CountDownLatch(1);
        queue.add(JobRequest.builder("logs").id("1").data(Map.of()).build());
        try (Worker worker = queue.worker()
                        .handler("logs", (data, context) -> {
                            context.log("before");
                            away.await();
                            context.log("meanwhile");
                            back.await();
                            return null;
                        })
                        .start();
                BufferedReader another = new BufferedReader(new InputStreamReader(
                        new Browser(dashboard.url()).events("?type=logs&id=1"), StandardCharsets.UTF_8))) {
            go(job("logs", "1"));
            chrome.awaitText("before");
            become("hidden");
            away.countDown();
            OpenDashboard.await(another, "log", log -> log.toString().contains("meanwhile"));
            become("visible");
            chrome.awaitText("meanwhile");
            back.countDown();
        }
    }

    @Test
    void a_page_that_nobody_looks_at_opens_no_stream_until_somebody_does() throws Exception {
        go("jobs");
        become("hidden");
        chrome.run("""
                const Stream = window.EventSource;
                window.opened = 0;
                window.EventSource = function (url) { window.opened++; return new Stream(url); };
                history.pushState(null, '', arguments[0]);
                dispatchEvent(new Event('couchjobs-place'));
                """, job("paused", "job-3"));
        chrome.awaitText("Waits to run");
        assertThat(chrome.run("return window.opened").asInt()).isZero();
        become("visible");
        chrome.await("window.opened === 1");
    }

    /** As the page is told of it when somebody looks at another tab, or comes back. */
    private void become(String visibility) throws IOException, InterruptedException {
        chrome.run(
                "Object.defineProperty(document, 'visibilityState', { value: arguments[0], configurable: true });"
                        + "document.dispatchEvent(new Event('visibilitychange'))",
                visibility);
    }

    @Test
    void a_log_that_cannot_be_read_is_read_as_soon_as_it_can() throws Exception {
        go("jobs");
        chrome.run("""
                const send = window.fetch;
                window.fetch = (url, options) => window.mended || !url.startsWith('api/log')
                  ? send(url, options)
                  : Promise.reject(new Error('out of reach'));
                history.pushState(null, '', arguments[0]);
                dispatchEvent(new Event('couchjobs-place'));
                """, job(NAME, "fails" + NAME));
        chrome.awaitText("out of reach");
        chrome.run("window.mended = true");
        chrome.awaitText("a line " + EVIL);
    }

    @Test
    void the_newest_lines_of_a_long_log_are_shown_and_that_there_are_more() throws Exception {
        go(job("paused", "job-2"));
        chrome.awaitText("Nothing was logged.");
        chrome.run("""
                const line = (chunk, n) => ({ attempt: 1, at: 1000 * chunk + n, text: 'line ' + chunk + ' ' + n });
                for (let chunk = 1; chunk <= 70; chunk++) {
                  const lines = Array.from({ length: 100 }, (none, n) => line(chunk, n));
                  const detail = [{ fence: 1, number: chunk, dropped: 0, lines }];
                  dispatchEvent(new CustomEvent('couchjobs-log', { detail }));
                }
                """);
        chrome.await("document.querySelector('.log')?.innerText.includes('line 70 99')");
        assertThat(chrome.run("return document.querySelectorAll('.log .entry').length")
                        .asInt())
                .isEqualTo(6_000);
        chrome.awaitText("The log is longer");
    }

    @Test
    void a_time_that_no_calendar_has_is_shown_as_none() throws Exception {
        queue.add(JobRequest.builder("paused").id("far").data(Map.of()).build());
        ObjectNode document = queue.database().get("job:paused:far").orElseThrow();
        document.putArray("errors")
                .addObject()
                .put("attempt", 1)
                .put("at", 9_000_000_000_000_000L)
                .put("kind", "failed")
                .put("message", "far away");
        queue.database().put(document);
        go(job("paused", "far"));
        chrome.await(
                "[...document.querySelectorAll('.errors li')].some((error) => /far away.*last –/s.test(error.innerText))");
        assertThat(chrome.complaints()).isEmpty();
    }

    @Test
    void the_failed_items_of_an_array_can_run_again_though_only_its_first_chunks_are_shown() throws Exception {
        queue.addArray(JobType.of("paused", Map.class), "many", List.of(Map.of()));
        go("array?type=paused&id=many");
        chrome.awaitText("1 items: 1 to run");
        hold("api/array");
        chrome.await("window.held.length > 0");
        chrome.run("window.held[0]({ more: true })");
        chrome.awaitText("Only its first 1 chunks are shown");
        chrome.await("document.querySelector('.job-head').innerText.includes('Retry failed')");
    }

    private void tell(String name, String json) throws IOException, InterruptedException {
        chrome.run(
                "dispatchEvent(new CustomEvent('couchjobs-' + arguments[0], { detail: JSON.parse(arguments[1]) }))",
                name,
                json);
    }

    /** From now on, such requests of the page wait until somebody calls what is held; it may put fields into the answer. */
    private void hold(String path) throws IOException, InterruptedException {
        chrome.run("""
                const send = window.fetch;
                const path = arguments[0];
                const answer = async (url, more) => Response.json({ ...await (await send(url)).json(), ...more });
                window.held = [];
                window.fetch = (url, options) => url.startsWith(path)
                  ? new Promise((resolve) => window.held.push((more) => resolve(answer(url, more))))
                  : send(url, options);
                """, path);
    }

    /** Waits until the page was drawn anew so often. */
    private void awaitSeconds(int count) throws IOException, InterruptedException {
        chrome.run("window.seconds = 0; addEventListener('couchjobs-tick',"
                + " (event) => { window.seconds += event.detail.second ? 1 : 0; })");
        chrome.await("window.seconds >= arguments[0]", count);
    }
}
