package io.couchjobs.testing;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.embedded.junit.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Stands before any CouchDB and lets a test hold requests or answers, or cut connections, on the way. Credentials, streamed
 * answers and status codes pass as they are. Thread-safe.
 */
public final class Proxy implements AutoCloseable {
    private static final Set<String> NOT_FORWARDED = Set.of(
            "accept-encoding", // what is compressed cannot be rewritten
            "connection",
            "content-length",
            "expect",
            "host",
            "keep-alive",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            ":status");

    static {
        // Without it, small answers wait 40 ms for the acknowledgement of their heads.
        if (System.getProperty("sun.net.httpserver.nodelay") == null) {
            System.setProperty("sun.net.httpserver.nodelay", "true");
        }
    }

    private final TestServer target;
    private final HttpServer front;
    private final HttpClient back =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        return thread;
    });
    private final List<Detour> detours = new CopyOnWriteArrayList<>();
    private final AtomicLong requests = new AtomicLong();
    private volatile boolean deafening;

    private Proxy(TestServer target) throws IOException {
        this.target = target;
        this.front = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        front.createContext("/", this::handle);
        front.setExecutor(threads);
        front.start();
    }

    public static Proxy before(TestServer target) {
        try {
            return new Proxy(target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same database, reached through this proxy. */
    public TestDatabase door(TestDatabase database) {
        URI url = URI.create("http://127.0.0.1:" + front.getAddress().getPort() + "/");
        return new TestDatabase(
                new TestServer(url, target.user(), target.password(), target.name() + " behind a proxy"),
                database.name());
    }

    /** Asks the detour about every request from now on. */
    public void detour(Detour detour) {
        detours.add(detour);
    }

    /** Holds the next such request before it is forwarded. */
    public Held holdRequest(Predicate<Request> which) {
        Held held = new Held(which, true);
        detours.add(held);
        return held;
    }

    /** Forwards the next such request and holds its answer. */
    public Held holdAnswer(Predicate<Request> which) {
        Held held = new Held(which, false);
        detours.add(held);
        return held;
    }

    /** Forwards the next such requests, and cuts the connection instead of answering. */
    public Lost loseAnswers(int times, Predicate<Request> which) {
        Lost lost = new Lost(times, which, false);
        detours.add(lost);
        return lost;
    }

    /** Cuts the connection of the next such requests; the server never hears of them. */
    public Lost loseRequests(int times, Predicate<Request> which) {
        Lost lost = new Lost(times, which, true);
        detours.add(lost);
        return lost;
    }

    /** Lets everything pass again; what is held goes on. */
    public void clear() {
        detours.forEach(Detour::end);
        detours.clear();
    }

    /** Lets the heartbeats of changes feeds pass and nothing else, as if they were far behind. */
    public void deafenFeeds() {
        deafening = true;
    }

    @Override
    public void close() {
        clear();
        front.stop(0);
        threads.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Request request = new Request(
                    requests.incrementAndGet(),
                    exchange.getRequestMethod(),
                    exchange.getRequestURI(),
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            for (Detour detour : detours) {
                if (!detour.goes(request)) {
                    return;
                }
                if (detour.refuses(request)) {
                    exchange.sendResponseHeaders(429, -1);
                    return;
                }
            }
            for (Detour detour : detours) {
                Optional<String> own = detour.answers(request);
                if (own.isPresent()) {
                    byte[] body = own.get().getBytes(StandardCharsets.UTF_8);
                    exchange.getResponseHeaders().set("Content-Type", "application/json");
                    exchange.sendResponseHeaders(201, body.length);
                    exchange.getResponseBody().write(body);
                    return;
                }
            }
            HttpResponse<InputStream> answer = forward(request, exchange.getRequestHeaders());
            for (Detour detour : detours) {
                if (!detour.returns(request)) {
                    answer.body().close();
                    return;
                }
            }
            send(exchange, request, answer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpResponse<InputStream> forward(Request request, Headers headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder copy = HttpRequest.newBuilder(target.url().resolve(request.uri.toString()))
                .method(request.method, HttpRequest.BodyPublishers.ofString(request.body));
        headers.forEach((name, values) -> {
            if (!NOT_FORWARDED.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> copy.header(name, value));
            }
        });
        return back.send(copy.build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    private void send(HttpExchange exchange, Request request, HttpResponse<InputStream> answer) throws IOException {
        try (InputStream body = answer.body()) {
            answer.headers().map().forEach((name, values) -> {
                if (!NOT_FORWARDED.contains(name.toLowerCase(Locale.ROOT))) {
                    exchange.getResponseHeaders().put(name, values);
                }
            });
            if (!request.isFeed() && answer.statusCode() / 100 == 2) {
                byte[] whole = rewritten(request, body.readAllBytes());
                exchange.sendResponseHeaders(answer.statusCode(), whole.length == 0 ? -1 : whole.length);
                exchange.getResponseBody().write(whole);
                return;
            }
            boolean empty = request.method.equals("HEAD") || answer.statusCode() == 204 || answer.statusCode() == 304;
            long length = answer.headers().firstValueAsLong("content-length").orElse(0);
            exchange.sendResponseHeaders(answer.statusCode(), empty ? -1 : length);
            if (!empty) {
                stream(body, exchange.getResponseBody(), request.isFeed());
            }
        }
    }

    private byte[] rewritten(Request request, byte[] answer) {
        String text = new String(answer, StandardCharsets.UTF_8);
        for (Detour detour : detours) {
            text = detour.rewrites(request, text);
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void stream(InputStream from, OutputStream to, boolean isFeed) throws IOException {
        byte[] buffer = new byte[16 * 1024];
        to.flush(); // the head of a feed goes out before its first line
        for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
            if (isFeed && deafening) {
                to.write('\n');
            } else {
                to.write(buffer, 0, n);
            }
            to.flush();
        }
    }

    /** What a client sent; no two have the same number. */
    public record Request(long number, String method, URI uri, String body) {
        public boolean isBulkWrite() {
            return uri.getPath().endsWith("/_bulk_docs");
        }

        /** The read of many documents by which a client finds out what became of its writes. */
        public boolean isLookup() {
            return uri.getPath().endsWith("/_bulk_get") && uri.getQuery() == null;
        }

        public boolean isWriteOf(String docIdPrefix) {
            return method.equals("PUT") && uri.getPath().substring(1).contains("/" + docIdPrefix);
        }

        public boolean isFeed() {
            return uri.getPath().endsWith("/_changes");
        }

        @Override
        public String toString() {
            return method + " " + uri.getPath().replaceFirst("^/[^/]*", "");
        }
    }

    /** Where requests and answers can be held or lost; both methods may block. */
    public interface Detour {
        /** Before a request is forwarded: false cuts the connection, and the server never hears of it. */
        default boolean goes(Request request) throws InterruptedException {
            return true;
        }

        /** Before an answer is sent: false cuts the connection instead. */
        default boolean returns(Request request) throws InterruptedException {
            return true;
        }

        /** Whether the request is answered by 429: there were too many. */
        default boolean refuses(Request request) {
            return false;
        }

        /** What is answered by 201 instead of forwarding the request. */
        default Optional<String> answers(Request request) {
            return Optional.empty();
        }

        /** What is answered instead of what the server answered, of whole answers only. */
        default String rewrites(Request request, String answer) {
            return answer;
        }

        /** Nothing is to be held any more. */
        default void end() {}
    }
}
