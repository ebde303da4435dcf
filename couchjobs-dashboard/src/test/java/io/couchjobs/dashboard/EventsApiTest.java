package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.job.JobRequest;
import io.couchjobs.worker.Worker;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the dashboard tells those who listen. */
@ServerTest
@Timeout(120)
@SuppressWarnings("try") // who works, or listens, only has to be there
class EventsApiTest extends OpenDashboard {
    @Test
    void an_event_is_told_to_all_listeners_and_gathered() throws Exception {
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
            Chrome.until("the end of the second", PATIENCE, () -> history().contains("\"ok\":1"));
            assertThat(history()).contains("\"types\":{\"");
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
    void a_listener_is_let_go_when_the_dashboard_closes() throws Exception {
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
    void a_request_for_only_the_head_of_the_events_takes_no_place_of_a_listener() throws Exception {
        for (int i = 0; i <= Hub.MOST_VIEWERS; i++) {
            var head = browser.head("api/events");
            assertThat(head.statusCode()).as("head %s", i).isEqualTo(200);
            assertThat(head.headers().firstValue("Content-Type")).contains("text/event-stream");
        }
        try (BufferedReader page = listen("")) {
            awaitTick(page, tick -> true);
        }
    }

    private String history() throws IOException, InterruptedException {
        return browser.json("overview").path("history").toString();
    }

    private static void awaitTick(BufferedReader events, java.util.function.Predicate<JsonNode> wanted)
            throws IOException {
        await(events, "tick", wanted);
    }
}
