package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What browsers are told while the database is slow. */
@Timeout(60)
class EventsOfSlowDatabaseTest {
    @Test
    void attached_data_that_comes_slowly_keeps_nobody_from_hearing_the_news() throws Exception {
        try (EmbeddedCouch server = EmbeddedCouch.inMemory().start();
                JobQueue queue = JobQueue.builder(server.url() + "jobs")
                        .renewLeases(false)
                        .open();
                Dashboard dashboard = Dashboard.of(queue).listen("127.0.0.1", 0)) {
            queue.add(JobRequest.builder("email")
                    .id("1")
                    .data(Map.of("text", "x".repeat(100_000)))
                    .build());
            assertThat(queue.page(JobFilter.all(), null, 1).jobs().get(0).hasAttachedData())
                    .isTrue();
            try (BufferedReader page = listen(dashboard, "?type=email&id=1")) {
                OpenDashboard.await(page, "tick", tick -> true);
                server.faults()
                        .delay(Integer.MAX_VALUE, request -> request.path().endsWith("/data.json"));
                queue.reschedule("email", "1", Instant.now().plusSeconds(60));
                OpenDashboard.await(
                        page, "job", job -> !job.has("rev") && !job.path("gone").asBoolean());
                OpenDashboard.await(page, "tick", tick -> tick.has("second"));
            }
        }
    }

    private static BufferedReader listen(Dashboard dashboard, String query) throws Exception {
        return new BufferedReader(
                new InputStreamReader(new Browser(dashboard.url()).events(query), StandardCharsets.UTF_8));
    }
}
