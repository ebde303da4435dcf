package io.couchjobs.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.couchjobs.JobQueue;
import io.couchjobs.LocalQueue;
import io.couchjobs.dashboard.Dashboard;
import io.couchjobs.dashboard.DashboardHandler;
import io.couchjobs.embedded.http.ToMemory;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;

/** Requests to the dashboard: each is answered, refused, and never fails. */
class DashboardFuzzTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final List<String> PATHS = List.of(
            "/",
            "/app.js",
            "/../module-info.class",
            "/api/overview",
            "/api/jobs",
            "/api/count",
            "/api/job",
            "/api/log",
            "/api/types",
            "/api/recurring",
            "/api/workers",
            "/api/problems",
            "/api/bulk",
            "/api/bulk/stop",
            "/api/action");
    private static final List<String> PARAMETERS = List.of(
            "type",
            "id",
            "status",
            "group",
            "tag",
            "correlation",
            "limit",
            "after",
            "before",
            "until",
            "from",
            "cursor",
            "q");
    private static final List<String> VALUES = List.of(
            "t", "1", "waiting", "failed", "-1", "99999999999", "a:b", "%00", "%", "%2E%2E%2F", "<b>", "+", "null");
    private static final List<String> FIELDS = List.of(
            "action",
            "type",
            "id",
            "status",
            "group",
            "tag",
            "name",
            "paused",
            "timeout",
            "rate",
            "retention",
            "enabled",
            "ids",
            "jobs",
            "filter",
            "priority",
            "time",
            "starts",
            "window",
            "value",
            "change");
    private static final List<String> ACTIONS = List.of(
            "retry", "cancel", "remove", "release", "pause", "resume", "run", "enable", "disable", "reschedule", "set");
    private static final List<String> HEADERS =
            List.of("Host", "Origin", "Sec-Fetch-Site", "Content-Type", "Authorization", "X-Couchjobs-Dashboard");

    @SuppressWarnings("NullAway.Init")
    private static JobQueue queue;

    @SuppressWarnings("NullAway.Init")
    private static DashboardHandler dashboard;

    @BeforeAll
    static void open() {
        queue = LocalQueue.open();
        queue.types().setTimeout("t", Duration.ofSeconds(9));
        dashboard = Dashboard.of(queue).actions(true).handler();
    }

    @FuzzTest
    @DictionaryFile(resourcePath = "/words.dict")
    void a_request_is_answered_or_refused(FuzzedDataProvider data) throws IOException {
        queue.add("t", Map.of());
        String method = data.pickValue(List.of("GET", "GET", "POST", "POST", "HEAD", "PUT", "OPTIONS", ""));
        Map<String, String> headers = headers(data);
        byte[] body = data.consumeBoolean() ? body(data).getBytes(StandardCharsets.UTF_8) : data.consumeBytes(50);
        URI target;
        try {
            target = new URI(target(data));
        } catch (URISyntaxException notARequest) {
            return;
        }
        if (target.getRawPath() == null || target.getPath().contains("events")) {
            return; // the first is refused by any server, the other has no end
        }
        ToMemory exchange = new ToMemory(method, target, headers, body);
        dashboard.handle(exchange);
        String answer = new String(exchange.answer(), StandardCharsets.UTF_8);
        assertThat(exchange.getResponseCode())
                .as(method + " " + target + ": " + answer)
                .isBetween(200, 499);
        check(exchange, answer);
    }

    private static void check(ToMemory exchange, String answer) throws IOException {
        String type = exchange.getResponseHeaders().getFirst("Content-Type");
        if ("application/json".equals(type) && !answer.isEmpty()) {
            MAPPER.readTree(exchange.answer());
        } else if (!answer.isEmpty()) {
            assertThat(exchange.getResponseCode()).isEqualTo(200);
            assertThat(type).doesNotContain("java");
        }
        assertThat(exchange.getResponseHeaders().getFirst("X-Content-Type-Options"))
                .isEqualTo("nosniff");
    }

    private static Map<String, String> headers(FuzzedDataProvider data) {
        Map<String, String> headers = new HashMap<>(
                Map.of("Host", "localhost", "Content-Type", "application/json", "X-Couchjobs-Dashboard", "1"));
        if (data.consumeInt(0, 4) == 0) {
            headers.put(data.pickValue(HEADERS), data.consumeAsciiString(20).replaceAll("[\r\n]", ""));
        }
        return headers;
    }

    private static String body(FuzzedDataProvider data) {
        var body = Trees.object(data);
        for (int i = data.consumeInt(0, 5); i > 0; i--) {
            String field = data.pickValue(FIELDS);
            if (data.consumeBoolean()) {
                body.set(field, Trees.value(data));
            } else {
                body.put(field, data.pickValue(field.equals("action") ? ACTIONS : VALUES));
            }
        }
        return body.toString();
    }

    private static String target(FuzzedDataProvider data) {
        String path = data.consumeInt(0, 9) == 0 ? "/" + data.consumeString(20) : data.pickValue(PATHS);
        StringBuilder target = new StringBuilder(path).append('?');
        for (int i = data.consumeInt(0, 5); i > 0; i--) {
            String value = data.consumeBoolean() ? data.pickValue(VALUES) : data.consumeString(10);
            target.append(data.pickValue(PARAMETERS)).append('=').append(value).append('&');
        }
        return target.toString();
    }
}
