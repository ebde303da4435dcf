package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The example of the guide on recurring jobs. */
@ServerTest
class RecurringGuideTest {
    private static final Path GUIDE = Path.of("../docs/recurring.md");

    // The example of the guide.

    record Report(String about, String to) {}

    static Worker sendReports(JobQueue queue) {
        queue.schedules()
                .put(Schedule.named("sales-report")
                        .cron("30 2 * * MON-FRI")
                        .zone("Europe/Berlin")
                        .job(JobRequest.of("report", new Report("sales", "ada@example.org")))
                        .build());
        return queue.worker()
                .handler("report", Report.class, (report, context) -> {
                    Instant tick = Schedule.tickOf(context.id()).orElseThrow();
                    return Map.of("sent", report.about() + " of " + tick + " to " + report.to());
                })
                .start();
    }

    // End of the example.

    @Test
    void the_guide_quotes_the_example_that_runs() throws Exception {
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(GUIDE));
        assertThat(block.find()).isTrue();
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/RecurringGuideTest.java"));
        assertThat(withoutSpace(source)).contains(withoutSpace(block.group(1)));
    }

    @Test
    void the_example_makes_up_for_what_was_missed_while_no_worker_was_there(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database)) {
            sendReports(queue).close();
            Instant left = Instant.now().minus(Duration.ofDays(5));
            ObjectNode schedule = queue.database().get("schedule:sales-report").orElseThrow();
            queue.database().put(schedule.put("last", left.toEpochMilli()));
            Instant first = queue.schedules()
                    .get("sales-report")
                    .orElseThrow()
                    .next(left, 1)
                    .get(0);
            try (Worker worker = sendReports(queue)) {
                assertThat(worker.id()).isNotBlank();
                TestQueue.until(() -> queue.all("report").findFirst().isPresent());
                List<Job> made = queue.all("report").toList();
                assertThat(made).hasSize(1);
                Job job = TestQueue.finished(queue, "report", made.get(0).id().id());
                assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
                assertThat(first.atZone(ZoneId.of("Europe/Berlin")).toLocalTime())
                        .isEqualTo(LocalTime.of(2, 30));
                assertThat(job.result().orElseThrow().path("sent").asText())
                        .isEqualTo("sales of " + first + " to ada@example.org");
            }
        }
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s", "");
    }
}
