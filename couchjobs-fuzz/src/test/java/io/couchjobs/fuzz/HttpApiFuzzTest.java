package io.couchjobs.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.couchjobs.JobQueue;
import io.couchjobs.LocalQueue;
import io.couchjobs.dashboard.Dashboard;
import io.couchjobs.dashboard.DashboardHandler;
import io.couchjobs.embedded.http.ToMemory;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;

/** Requests to the HTTP API: each is answered, or refused with a problem that says why, and never fails. */
class HttpApiFuzzTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final List<String> PATHS = List.of(
            "openapi.yaml",
            "health",
            "counts",
            "jobs",
            "jobs/*/*",
            "jobs/*/*/cancel",
            "jobs/*/*/retry",
            "types/*",
            "types/*/pause",
            "types/*/resume");
    private static final List<String> NAMES = List.of("t", "1", "a/b", "a:b", "\u0000", "%", "..", "", "+", "job:t:1");
    private static final List<String> PARAMETERS = List.of(
            "type",
            "status",
            "group",
            "class",
            "origin",
            "tag",
            "correlation",
            "site",
            "limit",
            "after",
            "by",
            "replace");
    private static final List<String> VALUES =
            List.of("t", "1", "waiting", "true", "-1", "99999999999", "tag", "[]", "%00");
    private static final List<String> FIELDS = List.of(
            "type",
            "id",
            "data",
            "scheduledTime",
            "group",
            "priority",
            "maxRetries",
            "class",
            "origin",
            "correlationId",
            "tracker",
            "site",
            "tags",
            "after",
            "jobs",
            "onFailure");

    @SuppressWarnings("NullAway.Init")
    private static JobQueue queue;

    @SuppressWarnings("NullAway.Init")
    private static DashboardHandler dashboard;

    @BeforeAll
    static void open() {
        queue = LocalQueue.open();
        dashboard = Dashboard.of(queue).api().actions(true).handler();
    }

    @FuzzTest
    @DictionaryFile(resourcePath = "/words.dict")
    void a_request_is_answered_or_refused_with_a_reason(FuzzedDataProvider data) throws IOException {
        String method = data.pickValue(List.of("GET", "GET", "POST", "POST", "HEAD", "DELETE"));
        Map<String, String> headers = new HashMap<>(Map.of("Host", "localhost", "Content-Type", "application/json"));
        byte[] body = data.consumeBoolean() ? job(data) : data.consumeBytes(50);
        URI target;
        try {
            target = new URI("/api/v1/" + path(data) + "?" + query(data));
        } catch (URISyntaxException notARequest) {
            return;
        }
        ToMemory exchange = new ToMemory(method, target, headers, body);
        dashboard.handle(exchange);
        String answer = new String(exchange.answer(), StandardCharsets.UTF_8);
        int status = exchange.getResponseCode();
        String said =
                method + " " + target + " " + new String(body, StandardCharsets.UTF_8) + ": " + status + " " + answer;
        if (status >= 400 && !answer.isEmpty() && !target.getPath().endsWith("/health")) {
            JsonNode problem = MAPPER.readTree(answer);
            assertThat(problem.path("status").asInt()).as(said).isEqualTo(status);
            assertThat(problem.path("detail").asText()).as(said).isNotEmpty();
        }
        // Nobody runs these jobs, so the queue is not healthy.
        assertThat(status).as(said).isBetween(200, target.getPath().endsWith("/health") ? 503 : 499);
    }

    private static String path(FuzzedDataProvider data) {
        StringBuilder path = new StringBuilder();
        for (char c : data.pickValue(PATHS).toCharArray()) {
            path.append(c == '*' ? name(data) : c);
        }
        return path.toString();
    }

    private static String name(FuzzedDataProvider data) {
        String name = data.consumeBoolean() ? data.pickValue(NAMES) : data.consumeString(20);
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static String query(FuzzedDataProvider data) {
        StringBuilder query = new StringBuilder();
        for (int i = data.consumeInt(0, 3); i > 0; i--) {
            String value = data.consumeBoolean() ? data.pickValue(VALUES) : data.consumeString(10);
            query.append(data.pickValue(PARAMETERS))
                    .append('=')
                    .append(URLEncoder.encode(value, StandardCharsets.UTF_8))
                    .append('&');
        }
        return query.toString();
    }

    private static byte[] job(FuzzedDataProvider data) {
        var job = MAPPER.createObjectNode().put("type", "t");
        for (int i = data.consumeInt(0, 6); i > 0; i--) {
            String field = data.pickValue(FIELDS);
            if (data.consumeBoolean()) {
                job.set(field, Trees.value(data));
            } else {
                job.put(field, data.pickValue(NAMES));
            }
        }
        return job.toString().getBytes(StandardCharsets.UTF_8);
    }
}
