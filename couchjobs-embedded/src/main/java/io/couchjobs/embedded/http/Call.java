package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/** A request and its answer. Used by one thread. */
final class Call {
    private static final int LARGEST_BODY = 64 << 20;
    private static final int WORTH_ZIPPING = 16 << 10;
    private static final String JSON = "application/json";
    private static final String NO_OBJECT = "Request body must be a JSON object";

    /** The output of a mute call. Fails as if the client had disconnected, which also ends a feed. */
    private static final class CutOutput extends OutputStream {
        @Override
        public void write(int b) throws IOException {
            throw new IOException("the answer is lost");
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            throw new IOException("the answer is lost");
        }
    }

    private final HttpExchange exchange;
    private final boolean mute;
    private boolean answered;
    private final List<String> path;
    private final Map<String, String> query;

    /** Creates a call. A mute call is processed, but not answered. */
    Call(HttpExchange exchange, boolean mute) {
        this.mute = mute;
        this.exchange = exchange;
        this.path = Uris.segments(exchange.getRequestURI().getRawPath());
        this.query = Uris.query(exchange.getRequestURI().getRawQuery());
    }

    String method() {
        return exchange.getRequestMethod();
    }

    boolean is(String method) {
        return method().equals(method);
    }

    boolean isRead() {
        return is("GET") || is("HEAD");
    }

    /** {@return the decoded segments of the path; an escaped slash does not separate segments} */
    List<String> path() {
        return path;
    }

    String segment(int n) {
        return n < path.size() ? path.get(n) : "";
    }

    /** {@return the path from a segment on, with slashes} */
    String rest(int from) {
        return String.join("/", path.subList(Math.min(from, path.size()), path.size()));
    }

    Map<String, String> query() {
        return query;
    }

    Optional<String> param(String name) {
        return Optional.ofNullable(query.get(name));
    }

    boolean flag(String name) {
        return "true".equals(query.get(name));
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(exchange.getRequestHeaders().getFirst(name));
    }

    void setHeader(String name, String value) {
        exchange.getResponseHeaders().set(name, value);
    }

    /** Throws an error unless the method is one of these. */
    void allow(String... methods) {
        if (!Arrays.asList(methods).contains(method())) {
            String allowed = String.join(",", methods);
            setHeader("Allow", allowed);
            throw new CouchError(405, "method_not_allowed", "Only " + allowed + " allowed");
        }
    }

    /** Reads the body as JSON. The content type must be JSON. */
    JsonNode json() {
        requireJson();
        return parsed();
    }

    /** Reads the body as JSON, regardless of the content type. */
    JsonNode parsed() {
        return Json.parseBody(body());
    }

    void requireJson() {
        String type = header("Content-Type").orElse("");
        if (!type.startsWith(JSON)) {
            throw new CouchError(415, "bad_content_type", "Content-Type must be application/json");
        }
    }

    ObjectNode jsonObject() {
        return Json.asObject(json(), NO_OBJECT);
    }

    /** Reads the body like {@link #jsonObject()}; an empty body counts as an empty object. */
    ObjectNode jsonObjectOrNone() {
        requireJson();
        byte[] bytes = body();
        return bytes.length == 0 ? Json.object() : Json.asObject(Json.parseBody(bytes), NO_OBJECT);
    }

    byte[] body() {
        try (InputStream in = decoded(exchange.getRequestBody())) {
            byte[] body = in.readNBytes(LARGEST_BODY + 1);
            if (body.length > LARGEST_BODY) {
                throw new CouchError(413, "too_large", "the request entity is too large");
            }
            return body;
        } catch (ZipException | EOFException e) {
            throw CouchError.badRequest("Request body is not properly gzipped.");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private InputStream decoded(InputStream in) throws IOException {
        String encoding = header("Content-Encoding").orElse("identity");
        return switch (encoding) {
            case "gzip" -> new GZIPInputStream(in);
            case "identity" -> in;
            default ->
                throw new CouchError(415, "bad_content_type", encoding + " is not a supported content encoding.");
        };
    }

    void answer(int status, JsonNode body) {
        byte[] json = Json.bytes(body);
        byte[] line = Arrays.copyOf(json, json.length + 1);
        line[json.length] = '\n';
        answer(status, JSON, line);
    }

    void answer(int status, String contentType, byte[] body) {
        try {
            setHeader("Content-Type", contentType);
            send(status, zipped(body));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void send(int status, byte[] body) throws IOException {
        if (is("HEAD")) {
            setHeader("Content-Length", Integer.toString(body.length));
            begin(status, -1);
            return;
        }
        begin(status, body.length == 0 ? -1 : body.length);
        if (body.length > 0 && !mute) {
            exchange.getResponseBody().write(body);
        }
    }

    private void begin(int status, long length) throws IOException {
        answered = true;
        if (!mute) {
            exchange.sendResponseHeaders(status, length);
        }
    }

    private byte[] zipped(byte[] body) throws IOException {
        if (body.length < WORTH_ZIPPING || !acceptsGzip()) {
            return body;
        }
        setHeader("Content-Encoding", "gzip");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length / 2);
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(body);
        }
        return bytes.toByteArray();
    }

    private boolean acceptsGzip() {
        return header("Accept-Encoding")
                .filter(accepted -> accepted.contains("gzip"))
                .isPresent();
    }

    /** Answers without a body. */
    void answer(int status) {
        try {
            begin(status, -1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts an answer of unknown length, and returns its output. */
    OutputStream stream(int status, String contentType) throws IOException {
        setHeader("Content-Type", contentType);
        if (mute) {
            answered = true;
            return new CutOutput();
        }
        if (is("HEAD")) {
            begin(status, -1);
            return OutputStream.nullOutputStream();
        }
        boolean zip = acceptsGzip() && contentType.equals(JSON) && !query.containsKey("feed");
        if (zip) {
            setHeader("Content-Encoding", "gzip");
        }
        begin(status, 0);
        OutputStream body = new BufferedOutputStream(exchange.getResponseBody(), 1 << 15);
        return zip ? new GZIPOutputStream(body) : body;
    }

    void answerError(CouchError error) {
        answer(error.status(), Json.object().put("error", error.error()).put("reason", error.reason()));
    }

    boolean isAnswered() {
        return answered;
    }

    void etag(String value) {
        setHeader("ETag", '"' + value + '"');
    }

    /** {@return whether the client already has this version} */
    boolean hasVersion(String etag) {
        return header("If-None-Match")
                .filter(known -> known.equals('"' + etag + '"'))
                .isPresent();
    }

    /** {@return the revision in the query string or the {@code If-Match} header} */
    @Nullable
    String rev() {
        return param("rev")
                .or(() -> header("If-Match").map(tag -> tag.replace("\"", "")))
                .orElse(null);
    }

    String url() {
        String host = header("Host").orElse("localhost");
        return "http://" + host + exchange.getRequestURI().getRawPath();
    }

    byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
