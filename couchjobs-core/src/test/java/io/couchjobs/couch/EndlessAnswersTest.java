package io.couchjobs.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.HttpProxy;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.testing.RawServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Servers that never stop talking: the client gives up before its memory is full, with an error that names the request. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class EndlessAnswersTest {

    private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    private static final String CHUNKED = HEAD + "Transfer-Encoding: chunked\r\n\r\n";
    /** Of some 8 GB. */
    private static final String LARGE_CHUNK = "1ffffffff\r\n";

    private static final long MIB = 1L << 20;
    /** What fits between the server and the client. */
    private static final long ON_THE_WAY = 16 * MIB;

    /** A client that reads that much would read for ever. */
    private static final long ENOUGH = 1100 * MIB;

    /** What the server says again and again, after what it says first, and how much of it is more than anybody wants. */
    enum Talk {
        HEADER_LINE("HTTP/1.1 200 OK\r\nX-Long: ", "a", MIB),
        STATUS_LINE("HTTP/1.1 200 ", "a", MIB),
        HEADERS("HTTP/1.1 200 OK\r\n", "X-Many: a\r\n", MIB),
        ANSWERS_BEFORE_THE_ANSWER("", "HTTP/1.1 103 Early Hints\r\n\r\n", MIB),
        HEAD_OF_A_CHUNK(CHUNKED, "1", MIB),
        HEADERS_BEHIND_THE_BODY(CHUNKED + "2\r\n{}\r\n0\r\n", "X-Many: a\r\n", MIB),
        WHITE_SPACE(HEAD + "\r\n", " ", 256 * MIB),
        TEXT(HEAD + "\r\n{\"a\":\"", "a", 256 * MIB),
        NUMBER(HEAD + "\r\n{\"a\":1", "1", 32 * MIB),
        NAME(HEAD + "\r\n{\"", "a", 16 * MIB),
        DEPTH(HEAD + "\r\n", "[", MIB),
        EMPTY_OBJECTS(HEAD + "\r\n{\"rows\":[{}", ",{}", 32 * MIB),
        SMALL_CHUNKS(CHUNKED, "1\r\n[\r\n", 6 * 4 * MIB),
        ONE_CHUNK(CHUNKED + LARGE_CHUNK, "[", MIB),
        ANNOUNCED_LENGTH(HEAD + "Content-Length: 9000000000000000000\r\n\r\n", "[", MIB),
        BEHIND_THE_JSON(CHUNKED + LARGE_CHUNK + "{}", " ", 256 * MIB),
        ERROR(CHUNKED.replace("200 OK", "500 Oops") + LARGE_CHUNK, "a", MIB),
        UNAUTHORIZED(CHUNKED.replace("200 OK", "401 Unauthorized") + LARGE_CHUNK, "a", MIB),
        CONFLICT(CHUNKED.replace("200 OK", "409 Conflict") + LARGE_CHUNK, "a", MIB);

        private final String first;
        private final String again;
        private final long most;

        Talk(String first, String again, long most) {
            this.first = first;
            this.again = again;
            this.most = most;
        }

        private RawServer.Script counted(AtomicLong sent) {
            return (out, end) -> {
                out.write(first.getBytes(StandardCharsets.US_ASCII));
                talk(out, again, end, sent);
            };
        }
    }

    private final AtomicLong sent = new AtomicLong();

    @ParameterizedTest
    @EnumSource
    void a_read_ends_with_an_error(Talk talk) throws IOException {
        try (RawServer wire = RawServer.playing(talk.counted(sent));
                CouchServer server = connect(wire.url())) {
            assertRefused(() -> server.database("db").get("a"), "GET /db/a");
            assertThat(sent.get()).isLessThan(4 * talk.most + ON_THE_WAY);
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"WHITE_SPACE", "EMPTY_OBJECTS", "BEHIND_THE_JSON"}) // read in the same way, and slowly
    void a_write_ends_with_an_error_or_a_refusal(Talk talk) throws IOException {
        try (RawServer wire = RawServer.playing(talk.counted(sent));
                CouchServer server = connect(wire.url())) {
            CouchDatabase database = server.database("db");
            if (talk == Talk.CONFLICT || talk == Talk.UNAUTHORIZED) {
                assertThat(database.put(Json.object().put("_id", "a"))).isNotInstanceOf(WriteResult.Stored.class);
            } else {
                assertRefused(() -> database.put(Json.object().put("_id", "a")), "PUT /db/a");
            }
            assertThat(sent.get()).isLessThan(talk.most + ON_THE_WAY);
        }
    }

    @Test
    void a_view_ends_with_an_error() throws IOException {
        Talk talk = Talk.EMPTY_OBJECTS;
        try (RawServer wire = RawServer.playing(talk.counted(sent));
                CouchServer server = connect(wire.url())) {
            assertRefused(() -> server.database("db").view(ViewQuery.of("d", "v")), "POST /db/_design/d/_view/v");
            assertThat(sent.get()).isLessThan(talk.most + ON_THE_WAY);
        }
    }

    @Test
    void a_compressed_answer_counts_with_its_uncompressed_length() throws IOException {
        RawServer.Script bomb = (out, end) -> {
            out.write((HEAD + "Content-Encoding: gzip\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            talk(new GZIPOutputStream(out), " ", end, sent);
        };
        try (RawServer wire = RawServer.playing(bomb);
                CouchServer server = connect(wire.url())) {
            assertRefused(() -> server.database("db").get("a"), "GET /db/a");
        }
    }

    static Stream<String> refusals() {
        return Stream.of("407 Proxy Authentication Required", "502 Bad Gateway", "200 OK");
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void a_proxy_that_talks_instead_of_connecting_is_left(String status) throws IOException {
        RawServer.Script endless = (out, end) -> {
            out.write(CHUNKED.replace("200 OK", status).getBytes(StandardCharsets.US_ASCII));
            out.write(LARGE_CHUNK.getBytes(StandardCharsets.US_ASCII));
            talk(out, "a", end, sent);
        };
        try (RawServer wire = RawServer.playing(endless);
                CouchServer server = CouchServer.connect(CouchConfig.builder(URI.create("https://couch.invalid"))
                        .proxy(HttpProxy.at(wire.url()))
                        .build())) {
            assertRefused(() -> server.database("db").get("a"), "GET /db/a");
            assertThat(sent.get()).isLessThan(MIB + ON_THE_WAY);
        }
    }

    private static void assertRefused(Runnable question, String request) {
        CouchException refused = catchThrowableOfType(CouchException.class, question::run);
        assertThat(refused).hasMessageStartingWith(request);
    }

    private static CouchServer connect(URI url) {
        return CouchServer.connect(CouchConfig.builder(url).build());
    }

    private static void talk(OutputStream out, String again, CountDownLatch end, AtomicLong sent) throws IOException {
        byte[] more = again.repeat(Math.max(1, (64 << 10) / again.length())).getBytes(StandardCharsets.US_ASCII);
        while (end.getCount() > 0 && sent.get() < ENOUGH) {
            out.write(more);
            sent.addAndGet(more.length);
        }
    }
}
