package io.couchjobs.embedded.http;

import io.couchjobs.embedded.cluster.ClusterNode;
import io.couchjobs.embedded.cluster.Stage;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends requests to a node of a simulated cluster without a connection, in virtual time. For actors only. */
public final class InProcess {
    private final Answering answering;
    private final Stage stage;

    public InProcess(ClusterNode node, Stage stage) {
        this.answering = new Answering(new ClusterRouter(node));
        this.stage = stage;
    }

    /**
     * A request.
     *
     * @param target path and query, escaped as in a request line
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared as a value
    public record Request(String method, URI target, Map<String, String> headers, byte[] body) {
        public Request {
            headers = Map.copyOf(headers);
        }
    }

    /**
     * A response: its head, and its body as a stream. Reading a truncated body throws an exception.
     *
     * @param headers by name
     */
    public record Response(int status, Map<String, List<String>> headers, InputStream body) {}

    /** A connection whose answer another actor serves. */
    private final class Connection {
        private final Pipe body = new Pipe(stage);
        private final InProcessExchange exchange;
        private @Nullable Consumer<Optional<Response>> client;

        Connection(Request request) {
            this.exchange = new InProcessExchange(request, body, this::head);
        }

        private void head() {
            tell(Optional.of(response(exchange, body)));
        }

        private void tell(Optional<Response> response) {
            Consumer<Optional<Response>> waiting = client;
            client = null;
            if (waiting != null) {
                waiting.accept(response);
            }
        }

        void serve() {
            try {
                answering.answer(exchange, new Call(exchange, false));
            } catch (IOException e) {
                body.cut();
                tell(Optional.empty());
            }
        }

        Optional<Response> send() {
            return stage.ask(then -> {
                client = then;
                stage.play("connection", this::serve);
            });
        }
    }

    private static Response response(InProcessExchange exchange, InputStream body) {
        return new Response(exchange.getResponseCode(), exchange.getResponseHeaders(), body);
    }

    /**
     * Sends a request and waits for the whole answer.
     *
     * @throws IOException when the connection breaks before the answer is complete
     */
    public Response send(Request request) throws IOException {
        Pipe body = new Pipe(stage);
        InProcessExchange exchange = new InProcessExchange(request, body, () -> {});
        answering.answer(exchange, new Call(exchange, false));
        return response(exchange, body);
    }

    /**
     * Sends a request and waits for the head of the answer. Another actor writes the body while the caller reads it.
     *
     * @throws IOException when the connection breaks before the head
     */
    public Response follow(Request request) throws IOException {
        return new Connection(request).send().orElseThrow(() -> new IOException("The connection broke."));
    }
}
