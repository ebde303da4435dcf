package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pages that stay open while things happen. */
class LivePagesTest extends BrowserTest {
    @Test
    void what_somebody_types_into_a_filter_or_a_dialog_stays() throws Exception {
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
