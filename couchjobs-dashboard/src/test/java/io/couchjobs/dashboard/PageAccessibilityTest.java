package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.JobRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages for people without a mouse, with a screen reader, or with a phone. */
class PageAccessibilityTest extends BrowserTest {
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

    /** A screen reader reads all of a status whenever any of it changes. */
    @Test
    void a_text_that_changes_each_second_is_no_status() throws Exception {
        go(job(NAME, "runs" + NAME));
        chrome.awaitText("Runs on");
        assertThat(chrome.run(
                        "return [...document.querySelectorAll('main [role=status]')].map((one) => one.textContent)"))
                .hasToString("[\"▶Running\"]");
        go("jobs?type=counted");
        chrome.awaitText("0 jobs");
        queue.add(JobRequest.builder("counted").id("1").data(Map.of()).build());
        chrome.awaitText("1 job");
        assertThat(chrome.run(
                        "return [...document.querySelectorAll('main [role=status]')].map((one) => one.textContent)"))
                .hasToString("[\"0 jobs\"]");
    }

    private void tabTo(String label) throws IOException, InterruptedException {
        for (int i = 0; i < 50; i++) {
            if (label.equals(chrome.run("return document.activeElement.getAttribute('aria-label')")
                    .asText())) {
                return;
            }
            chrome.press(Chrome.Key.TAB);
        }
        throw new AssertionError("50 tabs do not lead to " + label);
    }

    private String focus(String property) throws IOException, InterruptedException {
        return chrome.run("return document.activeElement[arguments[0]]", property)
                .asText();
    }

    @Test
    void on_a_phone_nothing_is_wider_than_the_screen_and_all_is_accessible() throws Exception {
        beAPhone();
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
            beADesk();
        }
    }

    @Test
    void on_a_phone_the_number_of_problems_is_in_sight() throws Exception {
        queue.add(JobRequest.builder("nobody").id("runs it").data(Map.of()).build());
        beAPhone();
        try {
            go("");
            chrome.await(
                    "document.querySelector('.urgent') && document.querySelector('.urgent').offsetParent !== null");
            assertAccessible("with a problem");
            chrome.click(".urgent");
            chrome.awaitText("nobody");
        } finally {
            beADesk();
            queue.remove("nobody", "runs it");
        }
    }
}
