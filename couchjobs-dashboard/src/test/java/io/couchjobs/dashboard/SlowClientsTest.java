package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.config.Secret;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that keep a connection of a dashboard open. */
@ServerTest
@Timeout(120)
class SlowClientsTest extends OpenDashboard {
    private static final Duration SOON = Duration.ofMillis(300);

    @Test
    void a_change_without_its_body_ends_with_the_connection() throws Exception {
        try (Dashboard open = Dashboard.of(queue).longestRead(SOON).listen("127.0.0.1", 0)) {
            assertEnds(open);
        }
    }

    @Test
    void a_client_that_is_not_let_in_keeps_no_connection_by_a_body_that_never_comes() throws Exception {
        DashboardBuilder options = Dashboard.of(queue).longestRead(SOON).token(Secret.of("shop"));
        try (Dashboard guarded = options.listen("127.0.0.1", 0)) {
            assertEnds(guarded);
        }
    }

    @Test
    void a_page_that_listens_is_not_cut_off() throws Exception {
        Duration twoTicks = Duration.ofSeconds(2);
        try (Dashboard open = Dashboard.of(queue).longestRead(twoTicks).listen("127.0.0.1", 0);
                BufferedReader events = new BufferedReader(
                        new InputStreamReader(new Browser(open.url()).events(""), StandardCharsets.UTF_8))) {
            AtomicInteger seconds = new AtomicInteger();
            await(events, "tick", tick -> tick.has("second") && seconds.incrementAndGet() == 3);
            assertThat(seconds).hasValue(3);
        }
    }

    private static void assertEnds(Dashboard dashboard) throws Exception {
        String head = "POST /api/action HTTP/1.1\r\nHost: localhost\r\n" + Guard.HEADER + ": 1\r\n"
                + "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n";
        try (Socket slow =
                new Socket(InetAddress.getLoopbackAddress(), dashboard.url().getPort())) {
            slow.setSoTimeout(20_000);
            slow.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            assertThat(RequestThreadsTest.untilItsEnd(slow)).hasSizeLessThan(2_000);
        }
    }
}
