package io.couchjobs.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.schedule.SteppedSchedules;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.NoTypeTimeoutException;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@ServerTest
class SchedulesTest {
    private static final Instant NOW = Instant.parse("2026-11-21T08:30:00Z");

    private final AtomicReference<Instant> now = new AtomicReference<>(NOW);
    private JobQueue queue;
    private SteppedSchedules stepped;
    private Schedules schedules;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        stepped = new SteppedSchedules(queue, now::get);
        schedules = stepped.schedules();
    }

    @AfterEach
    void close() {
        stepped.close();
        queue.close();
    }

    @Test
    void a_schedule_that_was_put_can_be_read_and_listed_with_its_next_ticks() {
        Schedules.PutResult put = schedules.put(Schedule.named("nightly")
                .cron("30 2 * * *")
                .zone("Europe/Berlin")
                .overlap(Schedule.OverlapPolicy.ALLOW)
                .missed(Schedule.MissedPolicy.SKIP)
                .job(JobRequest.of("report", Map.of("n", 1)))
                .build());
        assertThat(put.outcome()).isEqualTo(Schedules.PutResult.Outcome.CREATED);
        Schedule schedule = schedules.get("nightly").orElseThrow();
        assertThat(schedule.timing()).isEqualTo(Timing.Cron.of("30 2 * * *", java.time.ZoneId.of("Europe/Berlin")));
        assertThat(schedule.overlap()).isEqualTo(Schedule.OverlapPolicy.ALLOW);
        assertThat(schedule.missed()).isEqualTo(Schedule.MissedPolicy.SKIP);
        assertThat(schedule.type()).isEqualTo("report");
        assertThat(schedule.template().data().path("n").asInt()).isEqualTo(1);
        assertThat(schedule.isEnabled()).isTrue();
        assertThat(schedules.list()).hasSize(1);
        assertThat(schedules.next("nightly", 2))
                .containsExactly(Instant.parse("2026-11-22T01:30:00Z"), Instant.parse("2026-11-23T01:30:00Z"));
        assertThat(schedules.get("other")).isEmpty();
    }

    @Test
    void to_put_the_same_again_writes_nothing_and_another_replaces() {
        schedules.put(hourly().build());
        String rev = rev();
        now.set(NOW.plusSeconds(7200));
        assertThat(schedules.put(hourly().build()).outcome()).isEqualTo(Schedules.PutResult.Outcome.UNCHANGED);
        assertThat(rev()).isEqualTo(rev);
        Schedules.PutResult replaced = schedules.put(
                hourly().job(JobRequest.of("report", Map.of("n", 2))).build());
        assertThat(replaced.outcome()).isEqualTo(Schedules.PutResult.Outcome.REPLACED);
        assertThat(replaced.schedule().last())
                .as("same timing: what was missed is still missed")
                .contains(NOW);
        assertThat(schedules.put(hourly().cron("5 * * * *").build()).schedule().last())
                .contains(now.get());
    }

    @Test
    void an_interval_put_again_keeps_its_start_and_its_ticks() {
        ScheduleRequest request = Schedule.named("s")
                .every(Duration.ofMinutes(7))
                .job(JobRequest.of("report", Map.of()))
                .build();
        schedules.put(request);
        Instant first = schedules.next("s", 1).get(0);
        assertThat(first).isEqualTo(NOW.plusSeconds(420));
        now.set(NOW.plusSeconds(60));
        assertThat(schedules.put(request).outcome()).isEqualTo(Schedules.PutResult.Outcome.UNCHANGED);
        assertThat(schedules.next("s", 1)).containsExactly(first);
    }

    @Test
    void one_that_was_disabled_stays_so_when_it_is_put_again_unless_the_request_says_otherwise() {
        schedules.put(hourly().build());
        assertThat(schedules.disable("hourly").isEnabled()).isFalse();
        assertThat(schedules.put(hourly().build()).schedule().isEnabled()).isFalse();
        now.set(NOW.plusSeconds(99));
        Schedule enabled = schedules.put(hourly().enabled(true).build()).schedule();
        assertThat(enabled.isEnabled()).isTrue();
        assertThat(enabled.last()).contains(now.get());
    }

    @Test
    void disable_and_enable_are_idempotent() {
        schedules.put(hourly().build());
        String rev = rev();
        schedules.enable("hourly");
        assertThat(rev()).isEqualTo(rev);
        schedules.disable("hourly");
        String disabled = rev();
        schedules.disable("hourly");
        assertThat(rev()).isEqualTo(disabled);
    }

    @Test
    void to_run_now_makes_a_job_that_is_due_even_of_a_disabled_schedule() {
        schedules.put(hourly().enabled(false).build());
        Job job = schedules.runNow("hourly");
        assertThat(job.status()).isEqualTo(JobStatus.WAITING);
        assertThat(job.scheduledTime()).isEqualTo(NOW);
        assertThat(Schedule.tickOf(job.id())).contains(NOW);
        assertThat(Schedule.tickOf(new JobId("report", "by hand"))).isEmpty();
        assertThat(schedules.get("hourly").orElseThrow().runs()).containsExactly(job.id());
        assertThat(schedules.get("hourly").orElseThrow().last()).contains(NOW);
    }

    @Test
    void a_schedule_that_does_not_exist_is_not_found() {
        assertThatThrownBy(() -> schedules.remove("x")).isInstanceOf(NotFoundException.class);
        assertThatThrownBy(() -> schedules.enable("x")).isInstanceOf(NotFoundException.class);
        assertThatThrownBy(() -> schedules.disable("x")).isInstanceOf(NotFoundException.class);
        assertThatThrownBy(() -> schedules.runNow("x")).isInstanceOf(NotFoundException.class);
        assertThatThrownBy(() -> schedules.next("x", 1)).isInstanceOf(NotFoundException.class);
        schedules.put(hourly().build());
        schedules.remove("hourly");
        assertThatThrownBy(() -> schedules.remove("hourly")).isInstanceOf(NotFoundException.class);
    }

    @Test
    void one_that_would_never_tick_is_refused() {
        assertThatThrownBy(() -> schedules.put(hourly().cron("0 0 30 2 *").build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("never")
                .hasMessageContaining("0 0 30 2 *");
        assertThat(schedules.list()).isEmpty();
    }

    @Test
    void all_that_is_wrong_with_a_request_is_said_at_once() {
        assertThatThrownBy(() -> Schedule.named("")
                        .cron("61 * * * *")
                        .zone("Europe/Atlantis")
                        .missed(Schedule.MissedPolicy.ALL)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("minute \"61\"", "Europe/Atlantis", "name", "overlap");
        assertThatThrownBy(() -> Schedule.named("x").build()).hasMessageContainingAll("cron or every", "needs a job");
    }

    @Test
    void the_job_of_a_schedule_cannot_wait_for_another() {
        JobRequest waits = JobRequest.builder("report")
                .data(Map.of())
                .after(new JobId("email", "1"))
                .build();
        assertThatThrownBy(() -> hourly().job(waits).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("job.after");
    }

    @Test
    void a_strict_queue_refuses_schedules_of_types_without_a_timeout(TestDatabase database) {
        try (JobQueue strict = TestQueue.builder(database).strict(true).open()) {
            assertThatThrownBy(() -> strict.schedules().put(hourly().build()))
                    .isInstanceOf(NoTypeTimeoutException.class);
        }
    }

    @Test
    void racing_changes_of_one_schedule_all_arrive() throws Exception {
        schedules.put(hourly().build());
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> done = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            done.add(threads.submit(() -> schedules.runNow("hourly")));
        }
        for (Future<?> one : done) {
            one.get();
        }
        threads.shutdown();
        assertThat(schedules.get("hourly").orElseThrow().runs()).hasSize(6);
        assertThat(queue.all("report").count()).isEqualTo(6);
    }

    private static ScheduleRequest.Builder hourly() {
        return Schedule.named("hourly").cron("0 * * * *").job(JobRequest.of("report", Map.of("n", 1)));
    }

    private String rev() {
        return queue.database()
                .get("schedule:hourly")
                .orElseThrow()
                .path("_rev")
                .asText();
    }

    @Test
    void a_schedule_whose_ticks_are_noted_far_ahead_is_a_problem_until_it_is_enabled_anew() {
        Instant real = Instant.now();
        queue.schedules()
                .put(Schedule.named("s")
                        .cron("@hourly")
                        .job(JobRequest.of("report", Map.of()))
                        .build());
        assertThat(queue.operations().problems()).isEmpty();
        ObjectNode document = queue.database().get("schedule:s").orElseThrow();
        queue.database().put(document.put("last", real.plus(Duration.ofHours(2)).toEpochMilli()));

        assertThat(queue.operations().problems()).singleElement().satisfies(problem -> {
            assertThat(problem.name()).isEqualTo("schedule s");
            assertThat(problem.remedy()).contains("cron disable s");
        });

        queue.schedules().disable("s");
        queue.schedules().enable("s");
        assertThat(queue.operations().problems()).isEmpty();
    }
}
