package io.couchjobs.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.couch.ClientParts;
import io.couchjobs.engine.couch.Json;
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
    private static final ObjectNode LARGE = Json.object().put("_id", "x").put("text", "x".repeat(7_000_000));

    private ServerSocket socket;
    private CouchServer client;

    @BeforeEach
    void open() throws IOException {
        socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        socket.setReceiveBufferSize(4096);
        CouchConfig config = CouchConfig.builder(URI.create("http://127.0.0.1:" + socket.getLocalPort()))
                .responseTimeout(Duration.ofSeconds(1))
                .build();
        client = CouchServer.connect(config, ClientParts.of(config, pause -> {}));
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

    /** Five parts with a pause of 300 ms behind each: longer together than the server may be silent. */
    private void readSlowly() {
        CountDownLatch never = new CountDownLatch(1);
        try (Socket connection = socket.accept()) {
            InputStream in = connection.getInputStream();
            for (int left = 5; left > 0; left--) {
                in.readNBytes(500_000);
                boolean unused = never.await(300, TimeUnit.MILLISECONDS);
            }
            in.skipNBytes(LARGE.toString().length() - 5L * 500_000);
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
}
