package io.couchjobs.testing;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stands between a queue and any CouchDB, passes everything on, and does to continuous feeds what networks, proxies and
 * clusters do to them.
 */
public final class FeedProxy implements AutoCloseable {
    private static final Set<String> NOT_PASSED_ON =
            Set.of("host", "connection", "content-length", "transfer-encoding", "expect", "upgrade");

    static {
        // Without it, small answers wait 40 ms for the acknowledgement of their heads.
        if (System.getProperty("sun.net.httpserver.nodelay") == null) {
            System.setProperty("sun.net.httpserver.nodelay", "true");
        }
    }

    /** What happens to feeds from now on, those that are open too. */
    public enum Mode {
        /** Everything comes through. */
        PASS,
        /** Heartbeats come through, changes do not, and are lost for this connection. */
        ONLY_BEATS,
        /** Not a byte comes through. */
        SILENT,
        /** A new feed is accepted and never answered, and an old one is silent. */
        NO_ANSWER,
        /** A new feed reaches the server only when this is over. */
        LATE,
        /** A new feed is refused: the position is malformed. */
        REFUSE_POSITION,
        /** A new feed is refused for no reason of the client's. */
        FAIL
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "feed-proxy");
        thread.setDaemon(true);
        return thread;
    });
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final TestDatabase database;
    private final List<Open> open = new CopyOnWriteArrayList<>();
    private final List<String> history = new ArrayList<>();
    private final List<String> readings = new CopyOnWriteArrayList<>();
    private final AtomicInteger feeds = new AtomicInteger();
    private final AtomicInteger mostFeeds = new AtomicInteger();
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger cuts = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();
    private volatile Mode mode = Mode.PASS;
    private volatile Entry entry = new Entry(headers -> true, 200);

    private volatile Failure failure = new Failure(500, "internal_server_error", "a test");

    /** For the next reading of changes that would end by itself. */
    private final AtomicReference<@Nullable Failure> failingReading = new AtomicReference<>();

    private volatile @Nullable Held heldReading;

    private record Failure(int status, String error, String reason) {}

    private record Entry(Predicate<Headers> welcome, int statusForOthers) {}

    private record Open(HttpExchange exchange, OutputStream out) {}

    public FeedProxy(TestDatabase database) throws IOException {
        this.database = database;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** A queue that reaches its database through this. */
    public JobQueueBuilder queue() {
        JobQueueBuilder builder =
                JobQueue.builder(URI.create(url() + "/" + database.name())).renewLeases(false);
        database.user()
                .ifPresent(user -> builder.auth(
                        new Auth.Basic(user, Secret.of(database.password().orElse("")))));
        return builder;
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public void mode(Mode now) {
        synchronized (cuts) {
            mode = now;
            cuts.notifyAll();
        }
    }

    /** Refuses new feeds from now on, for no reason of the client's. */
    public void failWith(int status, String error, String reason) {
        failure = new Failure(status, error, reason);
        mode(Mode.FAIL);
    }

    /** Refuses the next reading of changes that would end by itself. */
    public void failNextReading(int status, String error, String reason) {
        failingReading.set(new Failure(status, error, reason));
    }

    /** Holds the next reading of changes that would end by itself, before the server hears of it. */
    public Held holdNextReading() {
        Held held = new Held(request -> true, true);
        heldReading = held;
        return held;
    }

    /** Refuses whoever sends other headers from now on, with that status; feeds that are open stay, as CouchDB's do. */
    public void letIn(Predicate<Headers> welcome, int statusForOthers) {
        entry = new Entry(welcome, statusForOthers);
    }

    /** How many requests were refused for their headers, and readings. */
    public int refusals() {
        return refusals.get();
    }

    /** How many feeds were asked for. */
    public int feeds() {
        return feeds.get();
    }

    /** How many feeds were open at the same time at most. */
    public int mostFeeds() {
        return mostFeeds.get();
    }

    public int openFeeds() {
        return open.size();
    }

    /** How many requests there were, feeds aside. */
    public int requests() {
        return requests.get();
    }

    /** How many readings of changes there were that ended by themselves. */
    public int readings() {
        return readings.size();
    }

    /** In how many of these there is that text. */
    public long readingsWith(String text) {
        return readings.stream().filter(body -> body.contains(text)).count();
    }

    /** How many rows went through. */
    public int rows() {
        synchronized (history) {
            return history.size();
        }
    }

    /** Breaks the connections of all feeds, those that are being opened or are not answered too. */
    public void cut() {
        synchronized (cuts) {
            cuts.incrementAndGet();
            cuts.notifyAll();
        }
        open.forEach(feed -> {
            open.remove(feed);
            feed.exchange.close();
        });
    }

    /** Breaks the connections of all feeds in the middle of a row. */
    public void cutInARow() {
        send("{\"seq\":\"9-x\",\"id\":\"job:email:1\",\"chan");
        cut();
    }

    /** Tells all old stories again, older revisions too: what a rewound feed and lagging nodes do at their worst. */
    public void rewind() {
        List<String> rows;
        synchronized (history) {
            rows = List.copyOf(history);
        }
        rows.forEach(this::send);
    }

    /** Tells the first story of a document again, as if nothing had happened since. */
    public void tellOld(String docId) {
        String first;
        synchronized (history) {
            first = history.stream()
                    .filter(row -> row.contains("\"" + docId + "\""))
                    .findFirst()
                    .orElseThrow();
        }
        send(first);
    }

    /** Adds something to all feeds. */
    public void send(String text) {
        open.forEach(feed -> write(feed, text));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try {
            Entry now = entry;
            String query = exchange.getRequestURI().getRawQuery();
            if (!now.welcome.test(exchange.getRequestHeaders())) {
                refusals.incrementAndGet();
                exchange.getRequestBody().readAllBytes();
                turnAway(exchange, now.statusForOthers);
            } else if (query != null && query.contains("feed=continuous")) {
                feeds.incrementAndGet();
                feed(exchange);
            } else if (query != null && query.contains("feed=normal") && failingReading.get() != null) {
                refusals.incrementAndGet();
                Failure once = Objects.requireNonNull(failingReading.getAndSet(null));
                refuse(exchange, once.status, once.error, once.reason);
            } else {
                int number = requests.incrementAndGet();
                Held held = heldReading;
                if (held != null && exchange.getRequestURI().getPath().endsWith("/_changes")) {
                    held.goes(new Proxy.Request(number, exchange.getRequestMethod(), exchange.getRequestURI(), ""));
                }
                pass(exchange);
            }
        } catch (InterruptedException e) {
            exchange.close();
        } catch (IOException | RuntimeException broken) {
            exchange.close();
            throw broken;
        }
    }

    private void pass(HttpExchange exchange) throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = client.send(upstream(exchange), HttpResponse.BodyHandlers.ofByteArray());
        if (exchange.getRequestURI().getPath().endsWith("/_changes")) {
            readings.add(new String(answer.body(), StandardCharsets.UTF_8));
        }
        answerHeaders(exchange, answer);
        boolean empty = answer.body().length == 0;
        exchange.sendResponseHeaders(answer.statusCode(), empty ? -1 : answer.body().length);
        if (!empty) {
            exchange.getResponseBody().write(answer.body());
        }
        exchange.close();
    }

    private void feed(HttpExchange exchange) throws IOException, InterruptedException {
        int cutsBefore = cuts.get();
        switch (mode) {
            case NO_ANSWER -> awaitCut(exchange, cutsBefore);
            case REFUSE_POSITION ->
                refuse(exchange, 400, "bad_request", "Malformed sequence supplied in 'since' parameter.");
            case FAIL -> refuse(exchange, failure.status, failure.error, failure.reason);
            case LATE -> {
                awaitOtherMode();
                pump(exchange, cutsBefore);
            }
            default -> pump(exchange, cutsBefore);
        }
    }

    private void awaitCut(HttpExchange exchange, int cutsBefore) throws InterruptedException {
        synchronized (cuts) {
            while (cuts.get() == cutsBefore) {
                cuts.wait();
            }
        }
        exchange.close();
    }

    private void awaitOtherMode() throws InterruptedException {
        synchronized (cuts) {
            while (mode == Mode.LATE) {
                cuts.wait();
            }
        }
    }

    /** In the words of CouchDB 3.5 about a token that has run out, and about one that was signed with a key it has not. */
    private static void turnAway(HttpExchange exchange, int status) throws IOException {
        if (status == 401) {
            refuse(exchange, status, "unauthorized", "exp not in future");
        } else {
            refuse(exchange, status, "bad_request", "Bad HMAC");
        }
    }

    private static void refuse(HttpExchange exchange, int status, String error, String reason) throws IOException {
        byte[] body = ("{\"error\":\"" + error + "\",\"reason\":\"" + reason + "\"}").getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private void pump(HttpExchange exchange, int cutsBefore) throws IOException, InterruptedException {
        HttpResponse<java.io.InputStream> answer =
                client.send(upstream(exchange), HttpResponse.BodyHandlers.ofInputStream());
        answerHeaders(exchange, answer);
        exchange.sendResponseHeaders(answer.statusCode(), 0);
        Open feed = new Open(exchange, exchange.getResponseBody());
        if (mode != Mode.SILENT) {
            feed.out.flush(); // the head goes out before the first line
        }
        open.add(feed);
        mostFeeds.accumulateAndGet(open.size(), Math::max);
        if (cuts.get() != cutsBefore) {
            open.remove(feed);
            throw new IOException("cut while it was opened");
        }
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            while (line != null && open.contains(feed) && cuts.get() == cutsBefore) {
                passRow(feed, line);
                line = lines.readLine();
            }
        } finally {
            open.remove(feed);
            exchange.close();
        }
    }

    private void passRow(Open feed, String line) {
        Mode now = mode;
        if (now == Mode.SILENT || now == Mode.NO_ANSWER || (now == Mode.ONLY_BEATS && !line.isBlank())) {
            return;
        }
        if (!line.isBlank()) {
            synchronized (history) {
                history.add(line + "\n");
            }
        }
        write(feed, line + "\n");
    }

    private void write(Open feed, String text) {
        try {
            synchronized (feed.out) {
                feed.out.write(text.getBytes(StandardCharsets.UTF_8));
                feed.out.flush();
            }
        } catch (IOException gone) {
            open.remove(feed);
            feed.exchange.close();
        }
    }

    private HttpRequest upstream(HttpExchange exchange) throws IOException {
        URI target = database.serverUrl().resolve(exchange.getRequestURI().toString());
        HttpRequest.Builder request = HttpRequest.newBuilder(target)
                .method(
                        exchange.getRequestMethod(),
                        HttpRequest.BodyPublishers.ofByteArray(
                                exchange.getRequestBody().readAllBytes()));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!NOT_PASSED_ON.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        return request.build();
    }

    private static void answerHeaders(HttpExchange exchange, HttpResponse<?> answer) {
        Headers headers = exchange.getResponseHeaders();
        answer.headers().map().forEach((name, values) -> {
            if (!NOT_PASSED_ON.contains(name.toLowerCase(Locale.ROOT)) && !name.startsWith(":")) {
                values.forEach(value -> headers.add(name, value));
            }
        });
    }
}
