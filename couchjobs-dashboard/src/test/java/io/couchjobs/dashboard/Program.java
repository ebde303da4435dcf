package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A program that uses the HTTP API; what it is answered must be what the OpenAPI document says. */
final class Program {
    static final JsonNode DOCUMENT = document();

    private static final String API = "api/v1";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final JsonMapper JSON = new JsonMapper();
    private static final JsonSchemaFactory SCHEMAS = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);

    private final URI url;
    private final List<String> headers;

    Program(URI url, String... headers) {
        this.url = url;
        this.headers = List.of(headers);
    }

    /** An answer that is as described. */
    record Answer(int status, JsonNode json) {
        String detail() {
            return json.path("detail").asText();
        }
    }

    Answer get(String path) throws IOException, InterruptedException {
        return described("GET", path, send(request(path).GET()));
    }

    Answer post(String path, @Nullable Object body) throws IOException, InterruptedException {
        return postRaw(
                path, body == null ? new byte[0] : JSON.writeValueAsBytes(body), "Content-Type", "application/json");
    }

    Answer postRaw(String path, byte[] body, String... more) throws IOException, InterruptedException {
        HttpRequest.Builder request = request(path).POST(BodyPublishers.ofByteArray(body));
        if (more.length > 0) {
            request.headers(more);
        }
        return described("POST", path, send(request));
    }

    HttpResponse<String> raw(String method, String path) throws IOException, InterruptedException {
        return send(request(path).method(method, BodyPublishers.noBody()));
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(url.resolve(API + path)).timeout(PATIENCE);
        return headers.isEmpty() ? request : request.headers(headers.toArray(new String[0]));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return HTTP.send(request.build(), BodyHandlers.ofString());
    }

    private static Answer described(String method, String path, HttpResponse<String> answer) throws IOException {
        String asked = method + " " + path + " is answered " + answer.statusCode() + " " + answer.body();
        JsonNode response = resolved(operation(method, path).at("/responses/" + answer.statusCode()));
        assertThat(response.isObject()).as("not described: " + asked).isTrue();
        String type = answer.headers().firstValue("Content-Type").orElse("");
        JsonNode schema = response.path("content").path(type).path("schema");
        assertThat(schema.isObject()).as(type + " is not described: " + asked).isTrue();
        JsonNode json = JSON.readTree(answer.body());
        assertThat(problems(schema, json)).as(asked).isEmpty();
        return new Answer(answer.statusCode(), json);
    }

    private static JsonNode operation(String method, String path) {
        String plain = path.replaceFirst("\\?.*", "");
        List<JsonNode> found = new ArrayList<>();
        for (Map.Entry<String, JsonNode> described : DOCUMENT.path("paths").properties()) {
            if (plain.matches(described.getKey().replaceAll("\\{[^}]*}", "[^/]*"))) {
                found.add(described.getValue().path(method.toLowerCase(Locale.ROOT)));
            }
        }
        assertThat(found).as("descriptions of " + plain).hasSize(1);
        return found.get(0);
    }

    private static JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? DOCUMENT.at(node.path("$ref").asText().substring(1)) : node;
    }

    private static List<String> problems(JsonNode schema, JsonNode json) {
        ObjectNode whole = schema.deepCopy();
        whole.set("components", DOCUMENT.path("components").deepCopy());
        allowNothingElse(whole);
        return SCHEMAS.getSchema(whole).validate(json).stream()
                .map(Object::toString)
                .toList();
    }

    /** Clients ignore fields that they do not know; here each field must be described. */
    private static void allowNothingElse(JsonNode schema) {
        if (schema instanceof ObjectNode object && object.path("properties").isObject()) {
            object.put("additionalProperties", false);
        }
        schema.forEach(Program::allowNothingElse);
    }

    private static JsonNode document() {
        try (InputStream in = HttpApi.class.getResourceAsStream("openapi.yaml")) {
            return new YAMLMapper().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
