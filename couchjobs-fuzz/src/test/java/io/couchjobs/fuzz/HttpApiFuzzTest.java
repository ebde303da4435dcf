package io.couchjobs.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
    /** Each has a method, a path and the names of its parameters. When the input is used up, the first element of a list is taken. */
    private static final List<String> ENDPOINTS = List.of(
            "POST jobs replace",
            "GET jobs type status group class origin tag correlation site limit after",
            "GET jobs/*/*",
            "POST jobs/*/*/cancel",
            "POST jobs/*/*/retry",
            "GET counts by limit",
            "GET health",
            "GET types/*",
            "POST types/*/pause",
            "POST types/*/resume",
            "GET openapi.yaml");

    private static final List<String> METHODS = List.of("GET", "POST", "HEAD", "DELETE", "OPTIONS");
    private static final List<String> NAMES =
            List.of("t", "1", "a/b", "u", "schedule:t", "\u0000", "%", "..", "", "+", "job:t:1", "\ud800", " ");
    private static final Map<String, List<String>> VALUES = Map.of(
            "replace", List.of("true", "false", "TRUE"),
            "status", List.of("waiting", "success", "cancelled", "lost"),
            "limit", List.of("7", "200", "0", "-1", "99999999999", "7.5"),
            "by", List.of("group", "type", "tag", "correlation", "class", "origin", "status"),
            "after", List.of("WzEsInJhbmdlIiwid2FpdGluZyIsImpvYjp0OjEiXQ", "W10", "WzEsMiwzLDRd", "e30"));
    private static final List<String> FIELDS = List.of(
            "data",
            "scheduledTime",
            "group",
            "priority",
            "maxRetries",
            "class",
            "origin",
            "correlationId",
            "tags",
            "after",
            "tracker",
            "site",
            "type",
            "unknown");
    private static final List<String> TIMES = List.of(
            "2030-01-31T09:00:00Z",
            "2030-01-31T09:00:00.123456789+14:00",
            "+999999999-12-31T23:59:59-18:00",
            "-999999999-01-01T00:00:00+18:00",
            "1969-12-31T23:59:59Z",
            "2030-02-30T09:00:00Z",
            "soon");
    private static final List<String> POLICIES = List.of("cancel", "run", "wait", "cry");
    /** A database is in memory, and grows: after so many runs there is a new one. */
    private static final int RUNS_PER_DATABASE = 20_000;

    private static int runs;

    @SuppressWarnings("NullAway.Init")
    private static JobQueue queue;

    @SuppressWarnings("NullAway.Init")
    private static DashboardHandler dashboard;

    @BeforeAll
    static void open() {
        queue = LocalQueue.open();
        dashboard = Dashboard.of(queue).api().actions(true).handler();
    }

    private static void begin() {
        if (++runs % RUNS_PER_DATABASE == 0) {
            dashboard.close();
            queue.close();
            open();
        }
    }

    @FuzzTest
    @DictionaryFile(resourcePath = "/words.dict")
    void a_request_is_answered_or_refused_with_a_reason(FuzzedDataProvider data) throws IOException {
        begin();
        String[] endpoint = data.pickValue(ENDPOINTS).split(" ");
        String method = isRare(data) ? data.pickValue(METHODS) : endpoint[0];
        Map<String, String> headers = new HashMap<>(Map.of("Host", "localhost", "Content-Type", "application/json"));
        byte[] body = isRare(data) ? data.consumeBytes(50) : job(data);
        URI target;
        try {
            target = new URI("/api/v1/" + path(data, endpoint[1]) + "?" + query(data, endpoint));
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

    private static boolean isRare(FuzzedDataProvider data) {
        return data.consumeInt(0, 15) == 15;
    }

    private static String path(FuzzedDataProvider data, String template) {
        String path = template;
        while (path.contains("*")) {
            String name = URLEncoder.encode(name(data), StandardCharsets.UTF_8).replace("*", "%2A");
            path = path.replaceFirst("\\*", name.replace("+", "%20"));
        }
        return path;
    }

    private static String name(FuzzedDataProvider data) {
        return data.consumeBoolean() ? data.consumeString(20) : data.pickValue(NAMES);
    }

    private static String query(FuzzedDataProvider data, String[] endpoint) {
        StringBuilder query = new StringBuilder();
        for (int i = data.consumeInt(0, 2); i > 0 && endpoint.length > 2; i--) {
            String name = isRare(data) ? data.consumeString(5) : endpoint[data.consumeInt(2, endpoint.length - 1)];
            List<String> values = VALUES.getOrDefault(name, NAMES);
            String value = isRare(data) ? data.consumeString(10) : data.pickValue(values);
            query.append(URLEncoder.encode(name, StandardCharsets.UTF_8))
                    .append('=')
                    .append(URLEncoder.encode(value, StandardCharsets.UTF_8))
                    .append('&');
        }
        return query.toString();
    }

    private static byte[] job(FuzzedDataProvider data) {
        ObjectNode job = MAPPER.createObjectNode().put("type", "t").put("id", name(data));
        for (int i = data.consumeInt(0, 4); i > 0; i--) {
            String field = data.pickValue(FIELDS);
            if (isRare(data)) {
                job.set(field, Trees.value(data));
                continue;
            }
            switch (field) {
                case "data" -> job.set(field, Trees.object(data));
                case "scheduledTime" -> job.put(field, data.pickValue(TIMES));
                case "priority", "maxRetries" -> job.put(field, data.consumeInt(-1, 101));
                case "tags" -> job.putArray(field).add(name(data)).add(name(data));
                case "after" -> after(data, job.putObject(field));
                default -> job.put(field, name(data));
            }
        }
        return job.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void after(FuzzedDataProvider data, ObjectNode after) {
        after.putArray("jobs").addObject().put("type", name(data)).put("id", name(data));
        if (data.consumeBoolean()) {
            after.put("onFailure", data.pickValue(POLICIES));
        }
    }
}
