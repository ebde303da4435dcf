package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.schedule.Schedule;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@ServerTest
class ProblemsTest {
    @Test
    void a_dashboard_checks_the_server_and_the_documents_without_being_told_to(TestDatabase database) throws Exception {
        try (JobQueue queue = Queues.of(database);
                Dashboard dashboard = Dashboard.of(queue).listen("127.0.0.1", 0)) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            var damaged = queue.database().get("job:email:1").orElseThrow();
            queue.database().put(damaged.put("status", 7));

            JsonNode problems = new Browser(dashboard.url()).json("problems").path("problems");

            assertThat(problems.findValuesAsText("name"))
                    .contains("server", "access", "copies", "design", "conflicts", "owners", "malformed");
            assertThat(problems.findValuesAsText("finding"))
                    .anySatisfy(finding -> assertThat(finding).contains("job:email:1 (field status must be"));
        }
    }

    @Test
    void a_schedule_whose_ticks_are_noted_far_ahead_is_a_problem_here_as_it_is_for_doctor(TestDatabase database)
            throws Exception {
        try (JobQueue queue = Queues.of(database);
                Dashboard dashboard = Dashboard.of(queue).listen("127.0.0.1", 0)) {
            queue.schedules()
                    .put(Schedule.named("s")
                            .cron("@hourly")
                            .job(JobRequest.of("report", Map.of()))
                            .build());
            var document = queue.database().get("schedule:s").orElseThrow();
            queue.database()
                    .put(document.put("last", Instant.now().plusSeconds(7200).toEpochMilli()));

            JsonNode problems = new Browser(dashboard.url()).json("problems").path("problems");

            assertThat(problems.findValuesAsText("name")).contains("schedule s");
        }
    }

    @Test
    void the_number_beside_problems_counts_what_the_checks_found(TestDatabase database) throws Exception {
        FixedCheck disk = new FixedCheck("disk");
        disk.finds(Problem.Level.PROBLEM, "the disk is full");
        try (JobQueue queue = Queues.of(database);
                Dashboard dashboard = Dashboard.of(queue).checks(List.of(disk)).listen("127.0.0.1", 0)) {
            Browser browser = new Browser(dashboard.url());
            browser.json("problems");
            assertThat(browser.json("overview").path("problems").asInt()).isEqualTo(1);
        }
    }
}
