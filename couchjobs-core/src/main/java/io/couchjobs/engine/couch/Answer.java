package io.couchjobs.engine.couch;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.io.Closer;
import org.apache.hc.core5.io.ModalCloseable;
import org.jspecify.annotations.Nullable;

/** An answer whose status and headers have been read, but not its body. Not thread-safe. */
public final class Answer implements AutoCloseable {

    private static final long LONGEST_ANSWER = 256L << 20;
    private static final String TOO_LARGE = "answer_too_large";
    private static final long LONGEST_ERROR = 64L << 10;
    private static final String REQUEST_ID = "X-Couch-Request-ID";
    /** The beginning of Erlang's report of a failed internal call, which includes the arguments. */
    private static final String INNER_CALL = "{gen_server,call,";

    private final Call call;
    private final Node node;
    private final ClassicHttpResponse response;
    private @Nullable InputStream body;

    Answer(Call call, Node node, ClassicHttpResponse response) {
        this.call = call;
        this.node = node;
        this.response = response;
    }

    public Call call() {
        return call;
    }

    /** Returns the node that answered. */
    Node node() {
        return node;
    }

    public int status() {
        return response.getCode();
    }

    public boolean isSuccess() {
        return status() / 100 == 2;
    }

    public Optional<String> header(String name) {
        Header header = response.getFirstHeader(name);
        return Optional.ofNullable(header).map(Header::getValue);
    }

    /** Returns the body; every call returns the same stream. */
    public InputStream body() throws IOException {
        InputStream in = body;
        if (in == null) {
            HttpEntity entity = response.getEntity();
            in = entity == null ? InputStream.nullInputStream() : entity.getContent();
            body = in;
        }
        return in;
    }

    /** Reads a value from an answer. */
    @FunctionalInterface
    public interface Reader<T> {
        public T read(Answer answer) throws IOException;
    }

    public <T> T read(Reader<T> reader) {
        try {
            return reader.read(this);
        } catch (JsonEOFException e) {
            throw broken(e);
        } catch (StreamConstraintsException e) {
            throw unusable(TOO_LARGE, e.getOriginalMessage(), e);
        } catch (JsonProcessingException e) {
            throw unusable(e.getOriginalMessage(), e);
        } catch (LimitedInput.TooMuch e) {
            throw unusable(TOO_LARGE, String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw broken(e);
        }
    }

    private CouchException broken(IOException cause) {
        return CouchUnreachableException.of(request(), !call.repeatable(), node.reason(cause), cause);
    }

    public ObjectNode object() throws IOException {
        if (json() instanceof ObjectNode object) {
            return object;
        }
        throw unusable("it is no JSON object");
    }

    public ArrayNode array() throws IOException {
        if (json() instanceof ArrayNode array) {
            return array;
        }
        throw unusable("it is no JSON array");
    }

    public byte[] bytes() throws IOException {
        requireSuccess();
        return new LimitedInput(body(), LONGEST_ANSWER).readAllBytes();
    }

    public Answer requireSuccess() throws IOException {
        if (!isSuccess()) {
            throw CouchException.of(failure());
        }
        return this;
    }

    /** Returns the body, limited to 256 MiB for a success and 64 KiB for an error. */
    public InputStream limited() throws IOException {
        return limited(isSuccess() ? LONGEST_ANSWER : LONGEST_ERROR);
    }

    /** Reads the rest of the body so that the connection can be reused; closes the connection if the rest is long. */
    public Answer drain() throws IOException {
        try (InputStream rest = limited(LONGEST_ERROR)) {
            rest.transferTo(OutputStream.nullOutputStream());
        } catch (LimitedInput.TooMuch e) {
            close(); // a new connection costs less
        }
        return this;
    }

    /** Returns the failure that the server reports. Reads the body. */
    public CouchException.Failure failure() throws IOException {
        ObjectNode body = errorBody();
        String error = Json.optionalText(body, "error").orElseGet(this::statusPhrase);
        boolean unknown = !call.repeatable() && status() >= 500;
        return new CouchException.Failure(status(), error, reason(body), request(), unknown);
    }

    /**
     * Returns the reason without the arguments of a failed internal call. CouchDB reports them in full, including the
     * document that {@code couchjs} was processing, which must not get into a log.
     */
    private static String reason(ObjectNode body) {
        String reason = Json.text(body, "reason");
        return reason.contains(INNER_CALL) ? "a call inside of the server failed" : reason;
    }

    /** Returns the field {@code status} of the body, at any HTTP status; empty when there is none. Reads the body. */
    String statusInBody() throws IOException {
        return Json.text(errorBody(), "status");
    }

    public CouchException unusable(String reason) {
        return unusable(reason, null);
    }

    /** Returns the exception for an answer that makes no sense. The outcome of a write is then unknown. */
    public CouchException unusable(String reason, @Nullable Throwable cause) {
        return unusable("bad_answer", reason, cause);
    }

    private CouchException unusable(String error, String reason, @Nullable Throwable cause) {
        String text = "the answer cannot be used: " + reason;
        return new CouchException(
                new CouchException.Failure(status(), error, text, request(), !call.repeatable()), cause);
    }

    /** Returns whether an answer exceeded a limit of this client; a request for fewer documents may succeed. */
    public static boolean isTooLarge(CouchException trouble) {
        return trouble.error().equals(TOO_LARGE);
    }

    CouchException.Failure.Request request() {
        return new CouchException.Failure.Request(
                call.method(),
                call.path().toString(),
                header(REQUEST_ID).orElse(null),
                header(HttpHeaders.RETRY_AFTER).flatMap(Answer::seconds).orElse(null));
    }

    /** Releases the connection if the whole answer was read, and closes it otherwise. */
    @Override
    public void close() {
        if (response instanceof ModalCloseable closeable) {
            closeable.close(CloseMode.IMMEDIATE);
        } else {
            Closer.closeQuietly(response);
        }
    }

    public JsonNode json() throws IOException {
        requireSuccess();
        try (JsonParser parser = Json.parser(limited(LONGEST_ANSWER))) {
            JsonNode tree = Json.MAPPER.reader().readTree(parser);
            if (tree == null || tree.isMissingNode()) {
                throw unusable("it is empty");
            }
            if (parser.nextToken() != null) {
                throw unusable("there is something behind the JSON");
            }
            return tree;
        }
    }

    private ObjectNode errorBody() throws IOException {
        try (InputStream body = limited(LONGEST_ERROR)) {
            return Json.MAPPER.readTree(body.readAllBytes()) instanceof ObjectNode object ? object : Json.object();
        } catch (JsonProcessingException | LimitedInput.TooMuch e) {
            return Json.object(); // the answer comes from a proxy, not from CouchDB
        }
    }

    private InputStream limited(long most) throws IOException {
        return new LimitedInput(body(), most);
    }

    private String statusPhrase() {
        String phrase = Optional.ofNullable(response.getReasonPhrase()).orElse("");
        return status() / 100 == 3
                ? "redirected elsewhere, which is not followed; is the server's URL right?"
                : (phrase + " (not an error as CouchDB reports it)").strip();
    }

    private static Optional<Duration> seconds(String header) {
        return header.strip().matches("\\d{1,9}")
                ? Optional.of(Duration.ofSeconds(Long.parseLong(header.strip())))
                : Optional.empty();
    }
}
