package io.couchjobs.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.couch.ClientParts;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.testing.OwnPauses;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Writes that are larger than what the system takes for a server that does not read. */
@Timeout(60)
class LargeWritesTest {
    private static final ObjectNode LARGE = Json.object().put("_id", "x").put("text", "x".repeat(48_000_000));
    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(4);

    private ServerSocket socket;
    private CouchServer client;

    @BeforeEach
    void open() throws IOException {
        socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        CouchConfig config = CouchConfig.builder(URI.create("http://127.0.0.1:" + socket.getLocalPort()))
                .responseTimeout(LONGEST_SILENCE)
                .build();
        client = CouchServer.connect(config, ClientParts.of(config, new OwnPauses(pause -> {})));
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        socket.close();
    }

    /** As a machine whose process is frozen: the system accepts connections and some of what comes. */
    @Test
    void one_to_a_server_that_takes_no_more_of_it_is_given_up() {
        assertThatThrownBy(() -> client.database("db").put(LARGE))
                .isInstanceOfSatisfying(CouchUnreachableException.class, failure -> assertThat(failure.outcomeUnknown())
                        .isTrue());
    }

    @Test
    void one_over_a_slow_line_takes_as_long_as_it_takes() throws Exception {
        CompletableFuture<Void> slow = CompletableFuture.runAsync(this::readSlowly);
        assertThat(client.database("db").put(LARGE)).isEqualTo(new WriteResult.Stored("x", "1-a"));
        slow.get();
    }

    /**
     * Takes a little every 10 ms, until longer has passed than a server may be silent, and then the rest. The writer goes on each time
     * that about 1 MB has left the system's buffer: every 200 ms.
     */
    private void readSlowly() {
        CountDownLatch never = new CountDownLatch(1);
        long end =
                System.nanoTime() + LONGEST_SILENCE.multipliedBy(3).dividedBy(2).toNanos();
        long left = LARGE.toString().length();
        try (Socket connection = socket.accept()) {
            InputStream in = connection.getInputStream();
            skipHead(in);
            while (System.nanoTime() < end) {
                left -= in.readNBytes(64 * 1024).length;
                boolean unused = never.await(10, TimeUnit.MILLISECONDS);
            }
            assertThat(left).as("what the client has not written yet").isGreaterThan(4_000_000);
            in.skipNBytes(left);
            String body = "{\"ok\":true,\"id\":\"x\",\"rev\":\"1-a\"}";
            String answer = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: " + body.length()
                    + "\r\n\r\n" + body;
            connection.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void skipHead(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            head.append((char) in.read());
        }
    }
}
