package io.couchjobs.dashboard;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One request and its answer. Not thread-safe. */
final class Call {
    /** Refuses text after the JSON value, which would otherwise be ignored. */
    static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final int LARGEST_BODY = 64 << 10;
    private static final String NO_OBJECT = "the body must be a JSON object in UTF-8";
    private static final String API = "/api/";
    /** Lets a page load and request only content of this origin, and nothing inline. No page may be framed. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

    private final HttpExchange exchange;
    private final String path;
    private final String rawPath;
    private final Map<String, String> query;

    /** Wraps an exchange and sets the headers of its answer. {@link #path} lacks the base path. */
    Call(HttpExchange exchange, String basePath) {
        this.exchange = exchange;
        this.path = below(basePath, exchange.getRequestURI().getPath());
        this.rawPath = below(basePath, exchange.getRequestURI().getRawPath());
        this.query = parsed(exchange.getRequestURI().getRawQuery());
        setHeader("Content-Security-Policy", POLICY);
        setHeader("X-Content-Type-Options", "nosniff");
        setHeader("Referrer-Policy", "no-referrer");
        setHeader("X-Frame-Options", "DENY");
        setHeader("Cross-Origin-Opener-Policy", "same-origin");
        setHeader("Cross-Origin-Resource-Policy", "same-origin");
        setHeader("Cache-Control", isApi() ? "no-store" : "no-cache");
    }

    boolean is(String method) {
        return exchange.getRequestMethod().equals(method);
    }

    boolean isRead() {
        return is("GET") || is("HEAD");
    }

    boolean isApi() {
        return path.startsWith(API);
    }

    /** {@return whether the request is for the HTTP API, and so comes from a program and not from a page} */
    boolean isFromProgram() {
        return path.startsWith(HttpApi.BASE) && rawPath.startsWith(HttpApi.BASE);
    }

    /** {@return the path, such as {@code /api/jobs}; empty for the base path without its slash} */
    String path() {
        return path;
    }

    /** {@return the address of the client, or of its proxy} */
    String remoteAddress() {
        return exchange.getRemoteAddress().getHostString();
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(exchange.getRequestHeaders().getFirst(name));
    }

    void setHeader(String name, String value) {
        exchange.getResponseHeaders().set(name, value);
    }

    /** {@return a parameter that is set and not empty} */
    Optional<String> param(String name) {
        return Optional.ofNullable(query.get(name)).filter(value -> !value.isEmpty());
    }

    String required(String name) {
        return param(name).orElseThrow(() -> new Refusal(400, "the parameter " + name + " is missing"));
    }

    Set<String> params() {
        return query.keySet();
    }

    OptionalInt number(String name, int least, int most) {
        Optional<String> text = param(name);
        try {
            int number = text.map(Integer::parseInt).orElse(least);
            if (number >= least && number <= most) {
                return text.isEmpty() ? OptionalInt.empty() : OptionalInt.of(number);
            }
        } catch (NumberFormatException notANumber) {
            // Refused like a number that is out of bounds.
        }
        throw new Refusal(400, name + " must be a number from " + least + " to " + most + ": " + text.orElse(""));
    }

    boolean flag(String name) {
        String text = param(name).orElse("false");
        if (!text.equals("true") && !text.equals("false")) {
            throw new Refusal(400, name + " must be true or false: " + text);
        }
        return text.equals("true");
    }

    /** {@return the segments of the path after a prefix, decoded one by one, because a segment may contain an encoded slash} */
    List<String> segmentsAfter(String beginning) {
        return Arrays.stream(rawPath.substring(beginning.length()).split("/", -1))
                .map(segment -> decoded(segment.replace("+", "%2B")))
                .toList();
    }

    ObjectNode body() throws IOException {
        return body(LARGEST_BODY);
    }

    /** {@return the body, which may have at most so many bytes} */
    ObjectNode body(int largest) throws IOException {
        try (InputStream in = exchange.getRequestBody()) {
            byte[] bytes = in.readNBytes(largest + 1);
            if (bytes.length > largest) {
                throw new Refusal(413, "the request is too large");
            }
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            if (JSON.readTree(text) instanceof ObjectNode object) {
                return object;
            }
            throw new Refusal(400, NO_OBJECT);
        } catch (JsonProcessingException | CharacterCodingException notJson) {
            throw new Refusal(400, NO_OBJECT);
        }
    }

    void answer(JsonNode json) throws IOException {
        answer(200, json);
    }

    void answer(int status, JsonNode json) throws IOException {
        answer(status, "application/json", JSON.writeValueAsBytes(json));
    }

    void answer(int status, String contentType, byte[] body) throws IOException {
        setHeader("Content-Type", contentType);
        if (is("HEAD")) {
            setHeader("Content-Length", Integer.toString(body.length));
        }
        exchange.sendResponseHeaders(status, is("HEAD") || body.length == 0 ? -1 : body.length);
        if (!is("HEAD") && body.length > 0) {
            exchange.getResponseBody().write(body);
        }
    }

    void redirect(String target) throws IOException {
        setHeader("Location", target);
        exchange.sendResponseHeaders(308, -1);
    }

    /** Answers with an error: to programs, with a problem document (RFC 9457). */
    void refuse(int status, @Nullable String message) throws IOException {
        if (isFromProgram()) {
            ObjectNode problem = JSON.createObjectNode().put("status", status).put("detail", message);
            answer(status, "application/problem+json", JSON.writeValueAsBytes(problem));
        } else {
            answer(status, JSON.createObjectNode().put("error", message));
        }
    }

    /** Answers a HEAD with the headers that {@link #stream} sends. */
    void answerHead(String contentType) throws IOException {
        setHeader("Content-Type", contentType);
        exchange.sendResponseHeaders(200, -1);
    }

    /** Starts an unbounded answer to a GET. */
    OutputStream stream(String contentType) throws IOException {
        setHeader("Content-Type", contentType);
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    private static String below(String basePath, String path) {
        return path.startsWith(basePath) ? path.substring(basePath.length()) : "";
    }

    private static Map<String, String> parsed(@Nullable String rawQuery) {
        Map<String, String> query = new HashMap<>();
        for (String pair : rawQuery == null ? new String[0] : rawQuery.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            if (!pair.isEmpty()) {
                query.put(decoded(name), equals < 0 ? "" : decoded(pair.substring(equals + 1)));
            }
        }
        return query;
    }

    /** Decodes text; text with a wrong escape stays as it is. */
    private static String decoded(String raw) {
        try {
            return URLDecoder.decode(raw, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException wrong) {
            return raw;
        }
    }
}
