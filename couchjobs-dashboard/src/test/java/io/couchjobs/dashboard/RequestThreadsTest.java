package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a server treats those who keep its threads. */
@Timeout(60)
@Isolated("hears of what all threads throw")
class RequestThreadsTest {
    private static final String REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    /** So long that a client that sends all at once is never cut off. */
    private static final Duration LONGEST = Duration.ofSeconds(2);

    private final RequestThreads threads = new RequestThreads(1, LONGEST);
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", threads.handler(exchange -> {
            if (exchange.getRequestURI().getPath().equals("/slow")) {
                begun.countDown();
                awaitGoOn();
            } else if (exchange.getRequestURI().getPath().equals("/read")) {
                exchange.getRequestBody().readAllBytes();
            }
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("ok".getBytes(StandardCharsets.US_ASCII));
        }));
        server.start();
    }

    @AfterEach
    void close() {
        goOn.countDown();
        server.stop(0);
        threads.close();
    }

    @Test
    void a_client_that_does_not_send_the_head_of_a_request_in_time_is_cut_off_and_others_are_served() throws Exception {
        try (Socket slow = connect("GET / HT");
                Socket other = connect(REQUEST)) {
            assertThat(untilItsEnd(slow)).isEmpty();
            assertThat(statusOf(other)).contains("200");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/read", "/left-unread"})
    void a_client_that_does_not_send_the_body_of_a_request_in_time_is_cut_off_and_others_are_served(String path)
            throws Exception {
        String head = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n";
        try (Socket slow = connect(head + "12345");
                Socket other = connect(REQUEST)) {
            assertThat(statusOf(other)).contains("200");
            assertThat(untilItsEnd(slow)).hasSizeLessThan(1_000);
        }
    }

    @Test
    void a_handler_may_take_its_time_and_others_wait_for_their_turn() throws Exception {
        try (Socket slow = connect(REQUEST.replace("GET /", "GET /slow"));
                Socket other = connectAfter(begun)) {
            other.setSoTimeout((int) LONGEST.plusMillis(500).toMillis());
            assertThat(hasAnswer(other)).isFalse();
            other.setSoTimeout(20_000);
            goOn.countDown();
            assertThat(statusOf(slow)).contains("200");
            assertThat(statusOf(other)).contains("200");
        }
    }

    @Test
    void a_request_that_comes_while_the_server_stops_leaves_no_stack_trace() throws Exception {
        Queue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, problem) -> uncaught.add(problem));
        try {
            for (int i = 0; i < 200; i++) {
                RequestThreads stopping = new RequestThreads(1, Duration.ofMinutes(1));
                stopping.execute(() -> {});
                stopping.close();
            }
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (thread.getName().startsWith("couchjobs-dashboard-")) {
                    thread.join(TimeUnit.SECONDS.toMillis(1));
                }
            }
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
        assertThat(uncaught).isEmpty();
    }

    private Socket connectAfter(CountDownLatch signal) throws Exception {
        assertThat(signal.await(30, TimeUnit.SECONDS)).isTrue();
        return connect(REQUEST);
    }

    private static boolean hasAnswer(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() >= 0;
        } catch (SocketTimeoutException none) {
            return false;
        }
    }

    private void awaitGoOn() throws IOException {
        try {
            assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private Socket connect(String request) throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.getAddress().getPort());
        socket.setSoTimeout(20_000);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    /** A SocketTimeoutException says that the connection is still open. */
    static byte[] untilItsEnd(Socket socket) throws IOException {
        try {
            return socket.getInputStream().readAllBytes();
        } catch (SocketException reset) {
            return new byte[0];
        }
    }

    private static String statusOf(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)).readLine();
    }
}
