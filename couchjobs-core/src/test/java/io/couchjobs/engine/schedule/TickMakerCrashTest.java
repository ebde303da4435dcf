package io.couchjobs.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.Faults;
import io.couchjobs.job.JobRequest;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.schedule.ScheduleRequest;
import io.couchjobs.schedule.Schedules;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A scheduler dies, or stands still, before each of the requests that a tick needs. */
class TickMakerCrashTest extends FaultyServer {
    private static final Instant NINE = Instant.parse("2026-11-21T09:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int MORE_THAN_ENOUGH = 12;

    private final AtomicReference<Instant> now = new AtomicReference<>(NINE);
    private Schedules schedules;
    private SteppedSchedules dying;
    private SteppedSchedules living;

    @BeforeEach
    void openParts() {
        dying = new SteppedSchedules(queue, now::get);
        living = new SteppedSchedules(queue, now::get);
        schedules = living.schedules();
        schedules.put(request().every(HOUR).from(NINE).build());
    }

    @AfterEach
    void closeParts() {
        couch.faults().clear();
        dying.close();
        living.close();
    }

    private static ScheduleRequest.Builder request() {
        return Schedule.named("s").overlap(Schedule.OverlapPolicy.ALLOW).job(JobRequest.of("report", Map.of()));
    }

    @Test
    void one_that_dies_before_any_of_its_requests_loses_and_doubles_no_tick() {
        int unharmed = 0;
        for (int step = 0; step < MORE_THAN_ENOUGH; step++) {
            Instant tick = tick(step);
            AtomicInteger requests = new AtomicInteger();
            int survives = step;
            couch.faults().answer(1000, request -> requests.getAndIncrement() >= survives, 500);
            unharmed += dies(dying) ? 0 : 1;
            couch.faults().clear();
            living.maker().make("s");
            assertMadeOnce(step, tick);
        }
        assertThat(unharmed).isBetween(1, MORE_THAN_ENOUGH - 4);
    }

    @Test
    void one_that_dies_without_hearing_the_answer_to_a_request_loses_and_doubles_no_tick() {
        int unharmed = 0;
        for (int step = 0; step < MORE_THAN_ENOUGH; step++) {
            Instant tick = tick(step);
            AtomicInteger requests = new AtomicInteger();
            int lost = step;
            couch.faults().loseAnswer(1, request -> requests.getAndIncrement() == lost);
            couch.faults().answer(1000, request -> requests.get() > lost, 500);
            unharmed += dies(dying) ? 0 : 1;
            couch.faults().clear();
            living.maker().make("s");
            assertMadeOnce(step, tick);
        }
        assertThat(unharmed).isBetween(1, MORE_THAN_ENOUGH - 4);
    }

    @Test
    void one_that_stands_still_before_any_of_its_requests_while_another_works_doubles_no_tick() throws Exception {
        int held = 0;
        for (int step = 0; step < MORE_THAN_ENOUGH; step++) {
            Instant tick = tick(step);
            AtomicInteger requests = new AtomicInteger();
            int stops = step;
            Faults.Held hold = couch.faults().delay(1, request -> requests.getAndIncrement() == stops);
            CompletableFuture<Boolean> slow = CompletableFuture.supplyAsync(() -> dies(dying));
            TestQueue.until(() -> slow.isDone() || hold.awaitArrival(0));
            if (slow.isDone()) {
                couch.faults().clear();
            }
            held += slow.isDone() ? 0 : 1;
            living.maker().make("s");
            assertMadeOnce(step, tick);
            couch.faults().clear();
            assertThat(slow.join()).isFalse();
            assertMadeOnce(step, tick);
        }
        assertThat(held).isGreaterThanOrEqualTo(4);
    }

    @Test
    void a_schedule_that_gets_another_timing_while_its_job_is_made_ticks_by_that() throws Exception {
        Instant tick = tick(0);
        duringTheTick(() -> {
            now.set(tick.minusSeconds(10));
            schedules.put(request().every(Duration.ofSeconds(5)).from(NINE).build());
            now.set(tick.plusSeconds(1));
        });
        assertThat(schedules.get("s").orElseThrow().last()).contains(tick.minusSeconds(10));
        assertThat(schedules.get("s").orElseThrow().runs()).hasSize(1);
        living.maker().make("s");
        assertThat(made()).containsExactlyInAnyOrder("s@2026-11-21T10:00Z", "s@2026-11-21T09:59:55Z");
    }

    @Test
    void a_schedule_that_is_disabled_while_its_job_is_made_stays_so() throws Exception {
        Instant tick = tick(0);
        duringTheTick(() -> schedules.disable("s"));
        assertThat(schedules.get("s").orElseThrow().isEnabled()).isFalse();
        now.set(tick.plus(HOUR));
        living.maker().make("s");
        assertThat(made()).hasSize(1);
    }

    @Test
    void a_schedule_that_is_removed_while_its_job_is_made_does_not_come_back() throws Exception {
        tick(0);
        duringTheTick(() -> schedules.remove("s"));
        assertThat(queue.database().get("schedule:s")).isEmpty();
        assertThat(made()).hasSize(1);
    }

    /** Between the request that makes the job and the note that it is made. */
    private void duringTheTick(Runnable change) throws Exception {
        Faults.Held hold = couch.faults().delay(1, request -> request.path().endsWith("/_bulk_docs"));
        CompletableFuture<Boolean> slow = CompletableFuture.supplyAsync(() -> dies(dying));
        assertThat(hold.awaitArrival(30)).isTrue();
        change.run();
        hold.release();
        assertThat(slow.get()).isFalse();
    }

    private Instant tick(int step) {
        Instant tick = NINE.plus(HOUR.multipliedBy(step + 1));
        now.set(tick.plusSeconds(1));
        return tick;
    }

    private boolean dies(SteppedSchedules scheduler) {
        try {
            scheduler.maker().make("s");
            return false;
        } catch (RuntimeException dead) {
            return true;
        }
    }

    private void assertMadeOnce(int step, Instant tick) {
        List<String> made = queue.all("report").map(job -> job.id().id()).toList();
        assertThat(made)
                .as("step %d", step)
                .hasSize(step + 1)
                .contains("s@" + tick.toString().replace(":00Z", "Z"));
        assertThat(schedules.get("s").orElseThrow().last()).as("step %d", step).contains(tick);
    }

    private List<String> made() {
        return queue.all("report").map(job -> job.id().id()).toList();
    }
}
