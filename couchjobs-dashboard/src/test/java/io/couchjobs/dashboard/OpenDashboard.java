package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A dashboard of a queue, and somebody who asks it. */
abstract class OpenDashboard {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    JobQueue queue;

    Dashboard dashboard;

    Browser browser;

    @BeforeEach
    void open(TestDatabase database) {
        queue = Queues.of(database);
        dashboard = Dashboard.of(queue).listen("127.0.0.1", 0);
        browser = new Browser(dashboard.url());
    }

    @AfterEach
    void close() {
        dashboard.close();
        queue.close();
    }

    static void assumeExactNumbers(TestDatabase database) {
        assumeFalse(
                database.serverName().contains("PouchDB"),
                "PouchDB Server keeps numbers as JavaScript does: beyond 2^53 it rounds them");
    }

    JsonNode answer(String path, Object body) throws IOException, InterruptedException {
        var answered = browser.post(path, body);
        assertThat(answered.statusCode()).as(answered.body()).isEqualTo(200);
        return new JsonMapper().readTree(answered.body());
    }

    void add(int count, String type) {
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(JobRequest.builder(type)
                    .data(Map.of())
                    .id("job " + i)
                    .tag(i % 2 == 0 ? "even" : "odd")
                    .build());
        }
        queue.addAll(requests);
    }

    BufferedReader listen(String query) throws IOException, InterruptedException {
        return new BufferedReader(new InputStreamReader(browser.events(query), StandardCharsets.UTF_8));
    }

    static void await(BufferedReader events, String name, java.util.function.Predicate<JsonNode> wanted)
            throws IOException {
        String event = "";
        for (String line = events.readLine(); line != null; line = events.readLine()) {
            if (line.startsWith("event: ")) {
                event = line.substring("event: ".length());
            } else if (line.startsWith("data: ") && event.equals(name)) {
                if (wanted.test(new JsonMapper().readTree(line.substring("data: ".length())))) {
                    return;
                }
            }
        }
        throw new AssertionError("the stream ended");
    }
}
