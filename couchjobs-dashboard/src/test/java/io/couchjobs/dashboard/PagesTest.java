package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobRequest;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What pages show. */
class PagesTest extends BrowserTest {
    @Test
    void a_text_of_users_is_shown_as_text_and_never_run() throws Exception {
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

    @Test
    void the_overview_says_why_there_are_no_numbers_or_only_old_ones_and_goes_on() throws Exception {
        String trouble = "document.querySelector('main .trouble')";
        go("");
        try {
            server.faults().answer(Integer.MAX_VALUE, request -> request.path().contains("/_view/"), 500);
            chrome.await(trouble);
            chrome.go(dashboard.url());
            chrome.await(trouble);
            assertThat(chrome.run("return document.querySelector('main').innerText")
                            .asText())
                    .doesNotContain("Looking …");
        } finally {
            server.faults().clear();
        }
        chrome.await("document.querySelector('.tiles') && !" + trouble);
    }

    @Test
    void the_number_of_running_jobs_is_that_of_the_jobs_it_links_to() throws Exception {
        queue.add(JobRequest.builder("claimed").id("1").data(Map.of()).build());
        AcceptOptions aside = AcceptOptions.of("claimed").start(false);
        ClaimedJob claimed = queue.accept(aside).get(0);
        go("");
        chrome.await("[...document.querySelectorAll('table.counts tr')].some(row => row.innerText.startsWith('claimed')"
                + " && row.querySelector('[data-label=Claimed]').innerText === '1')");
        assertThat(chrome.run("return document.querySelector('.tile.is-running .value').innerText")
                        .asText())
                .isEqualTo("1");
        chrome.click(".tile.is-running a");
        chrome.awaitText("1 job");
        claimed.release();
    }

    /** A proxy answers so while the dashboard is started anew. A browser then gives the stream up. */
    @Test
    void pages_are_live_again_after_the_stream_was_refused_for_a_while() throws Exception {
        CountDownLatch refused = new CountDownLatch(1);
        Dashboard before = listenAnywhere();
        int port = before.url().getPort();
        chrome.go(before.url());
        chrome.awaitLive();
        before.close();
        HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        proxy.createContext("/", exchange -> {
            exchange.sendResponseHeaders(502, -1);
            if (exchange.getRequestURI().getPath().endsWith("/events")) {
                refused.countDown();
            }
        });
        proxy.start();
        assertThat(refused.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        chrome.awaitText("Reconnecting");
        proxy.stop(0);
        try (Dashboard after = Dashboard.of(queue).listen("127.0.0.1", port)) {
            chrome.await("document.querySelector('.live.is-live')");
            assertThat(after.url()).isEqualTo(before.url());
        }
    }

    /** At a port that clients are not given: no connection takes it while the dashboard is away. */
    private Dashboard listenAnywhere() {
        for (int port = ThreadLocalRandom.current().nextInt(20_000, 30_000); ; port++) {
            try {
                return Dashboard.of(queue).listen("127.0.0.1", port);
            } catch (UncheckedIOException taken) {
                assertThat(taken).hasCauseInstanceOf(BindException.class);
            }
        }
    }

    @Test
    void a_chart_of_runs_names_how_many_there_were_in_all() throws Exception {
        go("history");
        chrome.await("[...document.querySelectorAll('.plot')].some(plot =>"
                + " /runs per .*Ended well \\d+\\s+Failed runs [1-9]/is.test(plot.innerText))");
    }

    @Test
    void the_last_minutes_are_shown_of_all_types_or_of_one() throws Exception {
        queue.add(JobRequest.builder("again").id("seen").data(Map.of()).build());
        queue.awaitFinished("again", "seen", PATIENCE);
        go("");
        chrome.await("document.querySelector('.charts').textContent.includes('Ran p50')");
        chrome.await("document.querySelector('.card select option[value=again]')");
        chrome.run("const choice = document.querySelector('.card select'); choice.value = 'again';"
                + "choice.dispatchEvent(new Event('change', { bubbles: true }))");
        chrome.await("document.querySelector('.card select').value === 'again'"
                + " && document.querySelectorAll('.area.is-failed[d^=M]').length > 0");
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
    void a_job_that_waits_says_why_and_what_to_do() throws Exception {
        go(job("paused", "job-0"));
        chrome.awaitText("type paused is paused");
        chrome.awaitText("couchjobs resume paused");
        queue.types().change("paused", settings -> settings.withPaused("the mail server moves"));
        chrome.awaitText("type paused is paused: the mail server moves");
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
    void an_address_of_no_page_leads_back() throws Exception {
        go("nowhere");
        chrome.awaitText("There is no such page");
        assertAccessible("nowhere");
        chrome.click("main a");
        chrome.await("document.querySelector('.tiles')");
    }
}
