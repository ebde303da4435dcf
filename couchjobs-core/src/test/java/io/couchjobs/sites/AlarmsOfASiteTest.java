package io.couchjobs.sites;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.admin.Alarms;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Listening;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The alarms of a site are about the jobs that it runs. */
@ServerTest
@Timeout(120)
@SuppressWarnings("try") // the alarms only have to be there
class AlarmsOfASiteTest {
    private final Queue<Alarms.Alarm> told = new ConcurrentLinkedQueue<>();
    private volatile Instant now = Instant.now();

    @Test
    void jobs_that_wait_for_another_site_are_no_growth_here(TestDatabase database) throws Exception {
        try (JobQueue munich = TestQueue.builder(database)
                .site("munich")
                .settableClock(() -> now)
                .open()) {
            munich.add(JobRequest.of("first", Map.of()));
            pass(Duration.ofMinutes(1));
            try (Listening alarms = munich.operations()
                    .alarms()
                    .oldestDue(Duration.ofSeconds(1))
                    .growth(1)
                    .every(Duration.ofSeconds(1))
                    .looks(1)
                    .tell(told::add)
                    .start()) {
                TestQueue.until(() -> !told.isEmpty());
                for (int i = 0; i < 3; i++) {
                    munich.add(
                            JobRequest.builder("a").site("oslo").data(Map.of()).build());
                    munich.add(JobRequest.of("b", Map.of()));
                }
                pass(Duration.ofMinutes(11));
                TestQueue.until(() -> told.stream().anyMatch(AlarmsOfASiteTest::isGrowth));
            }
        }
        assertThat(told)
                .filteredOn(AlarmsOfASiteTest::isGrowth)
                .extracting(Alarms.Alarm::subject)
                .containsExactly("b");
    }

    private void pass(Duration time) {
        now = now.plus(time);
    }

    private static boolean isGrowth(Alarms.Alarm alarm) {
        return alarm.rule().equals("growth");
    }
}
