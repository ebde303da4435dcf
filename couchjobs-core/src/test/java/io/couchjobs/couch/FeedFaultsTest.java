package io.couchjobs.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.testing.RawServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("looks for threads by their names")
class FeedFaultsTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String ROW_A = "{\"seq\":\"1-x\",\"id\":\"a\",\"changes\":[{\"rev\":\"1-r\"}]}\n";
    private static final String ROW_B = "{\"seq\":\"2-x\",\"id\":\"b\",\"changes\":[{\"rev\":\"1-r\"}]}\n";

    @Test
    void the_changes_that_came_before_the_connection_broke_are_handed_out_first() throws IOException {
        try (RawServer wire = chunks(ROW_A, ROW_B, "{\"seq\":\"3-x\",\"id\":\"c\",\"chan");
                CouchServer server = connect(wire);
                ChangesFeed feed = server.database("db").changes(ChangesRequest.continuous())) {
            assertThat(feed.next(LONG).orElseThrow().id()).isEqualTo("a");
            assertThat(feed.next(LONG).orElseThrow().id()).isEqualTo("b");
            assertThat(feed.isEnded()).isFalse();

            assertThatThrownBy(() -> feed.next(LONG)).isInstanceOf(CouchUnreachableException.class);

            assertThat(feed.isEnded()).isTrue();
            assertThat(feed.lastSeq()).isEqualTo("2-x");
            assertThatThrownBy(() -> feed.next(LONG)).isInstanceOf(CouchUnreachableException.class);
        }
    }

    @Test
    void a_row_is_handed_out_as_soon_as_it_is_whole() throws IOException {
        String rows = RawServer.chunkedHeader() + RawServer.chunk("\n" + ROW_A + "\n\n") + RawServer.chunk(ROW_B);
        try (RawServer wire = RawServer.playing(RawServer.sendAndFallSilent(rows));
                CouchServer server = connect(wire);
                ChangesFeed feed = server.database("db").changes(ChangesRequest.continuous())) {
            assertThat(feed.next(LONG)).contains(new Change("1-x", "a", List.of("1-r"), false, null));
            assertThat(feed.next(LONG)).contains(new Change("2-x", "b", List.of("1-r"), false, null));
            assertThat(feed.next(Duration.ZERO)).isEmpty();
            assertThat(feed.isEnded()).isFalse();
        }
    }

    @Test
    void a_feed_that_is_silent_for_three_heartbeats_is_broken() throws IOException {
        String rows = RawServer.chunkedHeader() + RawServer.chunk(ROW_A);
        try (RawServer wire = RawServer.playing(RawServer.sendAndFallSilent(rows));
                CouchServer server = connect(wire);
                ChangesFeed feed = server.database("db")
                        .changes(ChangesRequest.continuous().heartbeat(Duration.ofSeconds(1)))) {
            assertThat(feed.next(LONG)).isPresent();

            assertThatThrownBy(() -> feed.next(LONG))
                    .isInstanceOf(CouchUnreachableException.class)
                    .hasMessageContaining("silent");
        }
    }

    @Test
    void an_answer_that_is_no_feed_is_refused() throws IOException {
        for (String body : List.of("<html>", "[]", "7", "{\"seq\":\"1\"}", "{\"id\":\"a\"} x")) {
            try (RawServer wire = chunks(body);
                    CouchServer server = connect(wire);
                    ChangesFeed feed = server.database("db").changes(ChangesRequest.continuous())) {
                assertThatThrownBy(() -> untilEnd(feed)).as(body).isInstanceOf(CouchException.class);
            }
        }
        for (String body : List.of("<html>", "[]", "{}", "{\"results\":7}", "{\"results\":[]} x")) {
            try (RawServer wire = chunks(body);
                    CouchServer server = connect(wire);
                    ChangesFeed feed = server.database("db").changes(ChangesRequest.normal())) {
                assertThatThrownBy(() -> untilEnd(feed)).as(body).isInstanceOf(CouchException.class);
            }
        }
    }

    @Test
    void an_error_in_the_feed_is_told() throws IOException {
        try (RawServer wire = chunks(ROW_A, "{\"error\":\"timeout\",\"reason\":\"no shards\"}\n");
                CouchServer server = connect(wire);
                ChangesFeed feed = server.database("db").changes(ChangesRequest.continuous())) {
            assertThat(feed.next(LONG)).isPresent();
            assertThatThrownBy(() -> feed.next(LONG)).hasMessageContaining("timeout no shards");
        }
    }

    @Test
    void an_interrupt_from_outside_does_not_make_a_waiting_feed_deaf() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        RawServer.Script twoRows = (out, end) -> {
            RawServer.send(out, RawServer.chunkedHeader() + RawServer.chunk(ROW_A));
            interrupted.await();
            RawServer.send(out, RawServer.chunk(ROW_B));
            end.await();
        };
        try (RawServer wire = RawServer.playing(twoRows);
                CouchServer server = connect(wire);
                ChangesFeed feed = server.database("db").changes(ChangesRequest.continuous())) {
            assertThat(feed.next(LONG)).isPresent();

            reader().interrupt();
            interrupted.countDown();

            assertThat(feed.next(Duration.ofSeconds(5)).map(Change::id)).contains("b");
        }
    }

    @Test
    void an_interrupt_from_outside_loses_no_row_when_the_consumer_is_slow() throws Exception {
        int many = 500;
        StringBuilder rows = new StringBuilder();
        for (int n = 1; n <= many; n++) {
            rows.append("{\"seq\":\"" + n + "-x\",\"id\":\"" + n + "\",\"changes\":[{\"rev\":\"1-r\"}]}\n");
        }
        String text = RawServer.chunkedHeader() + RawServer.chunk(rows.toString());
        try (RawServer wire = RawServer.playing(RawServer.sendAndFallSilent(text));
                CouchServer server = connect(wire);
                ChangesFeed feed = server.database("db").changes(ChangesRequest.continuous())) {
            Thread reader = reader();
            for (int n = 1; n <= many; n++) {
                reader.interrupt();
                assertThat(feed.next(Duration.ofSeconds(5)).map(Change::id)).contains("" + n);
            }
        }
    }

    private static Thread reader() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("couch-feed/db"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nobody reads the feed"));
    }

    @Test
    void the_position_at_the_end_is_the_one_to_go_on_from() throws IOException {
        String body = "{\"results\":[\n" + ROW_A + "],\n\"last_seq\":\"9-z\",\"pending\":0}\n";
        String header = RawServer.chunkedHeader();
        try (RawServer wire = RawServer.playing(RawServer.sendAndCut(header + RawServer.chunk(body) + "0\r\n\r\n"));
                CouchServer server = connect(wire);
                ChangesFeed feed = server.database("db").changes(ChangesRequest.normal())) {
            assertThat(feed.lastSeq()).isEqualTo("0");
            assertThat(feed.next(LONG)).isPresent();
            assertThat(feed.lastSeq()).isEqualTo("1-x");
            assertThat(feed.next(LONG)).isEmpty();
            assertThat(feed.lastSeq()).isEqualTo("9-z");
            assertThat(feed.isEnded()).isTrue();
        }
    }

    @Test
    void a_slow_consumer_holds_up_the_server_and_can_still_close_the_feed() throws Exception {
        RawServer.Script endless = (out, end) -> {
            byte[] row = RawServer.chunk(ROW_A).getBytes(StandardCharsets.UTF_8);
            out.write(RawServer.chunkedHeader().getBytes(StandardCharsets.UTF_8));
            while (true) {
                out.write(row);
            }
        };
        try (RawServer wire = RawServer.playing(endless);
                CouchServer server = connect(wire)) {
            ChangesFeed feed = server.database("db").changes(ChangesRequest.continuous());
            assertThat(feed.next(LONG)).isPresent();

            feed.close();

            assertThat(feed.next(LONG)).isEmpty();
            assertThat(feed.isEnded()).isTrue();
            threadEnds("couch-feed/db");
        }
    }

    @Test
    void large_rows_are_not_read_far_ahead() throws Exception {
        AtomicInteger written = new AtomicInteger();
        String row = "{\"seq\":\"1-x\",\"id\":\"a\",\"changes\":[],\"doc\":{\"x\":\"" + "y".repeat(1 << 20) + "\"}}\n";
        RawServer.Script endless = (out, end) -> {
            byte[] chunk = RawServer.chunk(row).getBytes(StandardCharsets.UTF_8);
            out.write(RawServer.chunkedHeader().getBytes(StandardCharsets.UTF_8));
            while (true) {
                out.write(chunk);
                written.incrementAndGet();
            }
        };
        try (RawServer wire = RawServer.playing(endless);
                CouchServer server = connect(wire);
                ChangesFeed feed = server.database("db").changes(ChangesRequest.continuous())) {
            for (int taken = 1; taken < 20; taken++) {
                assertThat(feed.next(LONG)).isPresent();
                // 4 in the queue, 1 with the reader, the rest on the wire: never the 64 rows that small ones may be
                assertThat(settled(written) - taken).isLessThan(30);
            }
            assertThat(feed.isEnded()).isFalse();
        }
    }

    @Test
    void a_row_that_is_too_long_breaks_the_feed_before_it_fills_the_memory() throws IOException {
        String megabyte = "y".repeat(1 << 20);
        RawServer.Script endless = (out, end) -> {
            out.write(RawServer.chunkedHeader().getBytes(StandardCharsets.UTF_8));
            out.write(RawServer.chunk("{\"seq\":\"1-x\",\"id\":\"a\",\"doc\":{\"x\":[0")
                    .getBytes(StandardCharsets.UTF_8));
            byte[] more = RawServer.chunk(",\"" + megabyte + "\"").getBytes(StandardCharsets.UTF_8);
            while (true) {
                out.write(more);
            }
        };
        try (RawServer wire = RawServer.playing(endless);
                CouchServer server = connect(wire);
                ChangesFeed feed = server.database("db").changes(ChangesRequest.continuous())) {
            assertThatThrownBy(() -> feed.next(LONG)).hasMessageContaining("longer than");
        }
    }

    @Test
    void a_row_that_cannot_be_read_breaks_a_feed_that_goes_on() throws IOException {
        String unreadable = "{\"seq\":\"1-x\",\"id\":\"a\",\"doc\":{\"twice\":1,\"twice\":2}}\n";
        RawServer.Script endless = (out, end) -> {
            out.write((RawServer.chunkedHeader() + RawServer.chunk(unreadable)).getBytes(StandardCharsets.UTF_8));
            while (!end.await(10, TimeUnit.MILLISECONDS)) {
                out.write(RawServer.chunk("\n").getBytes(StandardCharsets.UTF_8));
            }
        };
        try (RawServer wire = RawServer.playing(endless);
                CouchServer server = connect(wire);
                ChangesFeed feed = server.database("db").changes(ChangesRequest.continuous())) {
            assertThatThrownBy(() -> feed.next(LONG)).hasMessageContaining("cannot be used");
        }
    }

    @Test
    void a_server_that_accepts_a_feed_and_never_answers_is_given_up_after_three_heartbeats() throws IOException {
        try (RawServer wire = RawServer.playing((out, end) -> end.await());
                CouchServer server = connect(wire)) {
            assertThatThrownBy(() -> server.database("db")
                            .changes(ChangesRequest.continuous().heartbeat(Duration.ofMillis(50))))
                    .isInstanceOf(CouchUnreachableException.class)
                    .hasMessageContaining("silent");
        }
    }

    @Test
    void a_server_that_does_not_even_accept_a_connection_is_given_up() throws IOException {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket one = new Socket(full.getInetAddress(), full.getLocalPort());
                Socket two = new Socket(full.getInetAddress(), full.getLocalPort());
                CouchServer server =
                        CouchServer.connect(CouchConfig.builder(URI.create("http://127.0.0.1:" + full.getLocalPort()))
                                .connectTimeout(Duration.ofMillis(200))
                                .build())) {
            assertThat(one.isConnected() && two.isConnected()).isTrue();
            assertThatThrownBy(() -> server.database("db").changes(ChangesRequest.continuous()))
                    .isInstanceOf(CouchUnreachableException.class);
        }
    }

    @Test
    void closing_the_server_ends_its_feeds() throws Exception {
        try (RawServer wire = RawServer.playing(RawServer.sendAndFallSilent(RawServer.chunkedHeader()))) {
            CouchServer server = connect(wire);
            ChangesFeed feed = server.database("db").changes(ChangesRequest.continuous());
            CompletableFuture<Optional<Change>> waiting =
                    CompletableFuture.supplyAsync(() -> feed.next(Duration.ofMinutes(1)));

            server.close();

            assertThat(waiting.get(30, TimeUnit.SECONDS)).isEmpty();
            assertThat(feed.isEnded()).isTrue();
        }
    }

    @Test
    void one_feed_more_than_there_are_connections_is_refused_and_requests_go_on() throws IOException {
        try (RawServer wire = RawServer.playing(RawServer.sendAndFallSilent(RawServer.chunkedHeader()));
                CouchServer server = CouchServer.connect(CouchConfig.builder(wire.url())
                        .maxFeedConnections(1)
                        .maxConnections(1)
                        .connectTimeout(Duration.ofMillis(200))
                        .responseTimeout(Duration.ofMillis(200))
                        .build())) {
            ChangesFeed first = server.database("db").changes(ChangesRequest.continuous());

            assertThatThrownBy(() -> server.database("db").changes(ChangesRequest.continuous()))
                    .isInstanceOf(CouchUnreachableException.class)
                    .hasMessageContaining("all connections of this client are busy");
            assertThatThrownBy(() -> server.database("db").get("x"))
                    .isInstanceOf(CouchUnreachableException.class)
                    .hasMessageContaining("silent"); // it was sent
            first.close();
        }
    }

    /** A number that grows, when it does not any more. */
    private static int settled(AtomicInteger number) throws InterruptedException {
        int before = -1;
        while (before != number.get()) {
            before = number.get();
            new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS);
        }
        return before;
    }

    private static void untilEnd(ChangesFeed feed) {
        while (!feed.isEnded()) {
            feed.next(LONG);
        }
    }

    private static void threadEnds(String prefix) throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith(prefix)) {
                thread.join(LONG.toMillis());
                assertThat(thread.isAlive()).isFalse();
            }
        }
    }

    private static RawServer chunks(String... chunks) throws IOException {
        StringBuilder text = new StringBuilder(RawServer.chunkedHeader());
        for (String chunk : chunks) {
            text.append(RawServer.chunk(chunk));
        }
        return RawServer.playing(RawServer.sendAndCut(text.toString()));
    }

    private static CouchServer connect(RawServer wire) {
        return CouchServer.connect(CouchConfig.builder(wire.url()).build());
    }
}
