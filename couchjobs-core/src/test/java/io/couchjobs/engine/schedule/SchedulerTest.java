package io.couchjobs.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.schedule.ScheduleRequest;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Schedulers as workers start them, by the real clock. */
@ServerTest
class SchedulerTest {
    private final BlockingQueue<String> ran = new LinkedBlockingQueue<>();
    private JobQueue queue;
    private JobQueue other;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        other = TestQueue.open(database);
    }

    @AfterEach
    void close() {
        queue.close();
        other.close();
    }

    @Test
    void a_schedule_put_by_another_process_wakes_those_that_have_workers_and_each_tick_runs_once() throws Exception {
        try (Worker one = worker(queue);
                Worker two = worker(queue);
                Worker three = worker(other)) {
            other.schedules().put(everySecond("s"));
            for (int i = 0; i < 4; i++) {
                assertThat(next()).startsWith("s@");
            }
            other.schedules().remove("s");
            TestQueue.until(
                    () -> queue.all("tick").allMatch(job -> job.phase().name().equals("FINISHED"))
                            && one.stats().claimed()
                                            + two.stats().claimed()
                                            + three.stats().claimed()
                                    == queue.all("tick").count());
            assertThat(List.copyOf(ran)).doesNotHaveDuplicates();
        }
    }

    @Test
    void ticks_missed_while_there_was_no_worker_are_made_up_for_when_one_starts() throws Exception {
        queue.schedules()
                .put(Schedule.named("s")
                        .every(Duration.ofDays(1))
                        .from(Instant.now().minus(Duration.ofHours(60)))
                        .job(JobRequest.of("tick", Map.of()))
                        .build());
        ObjectNode document = queue.database().get("schedule:s").orElseThrow();
        queue.database()
                .put(document.put(
                        "last", Instant.now().minus(Duration.ofHours(50)).toEpochMilli()));
        try (Worker worker = worker(queue)) {
            assertThat(next()).startsWith("s@");
            TestQueue.until(() -> worker.stats().succeeded() == 1);
        }
        assertThat(queue.all("tick").count()).isEqualTo(1);
        assertThat(queue.schedules().next("s", 1).get(0)).isAfter(Instant.now());
    }

    @Test
    void a_malformed_schedule_holds_up_no_other_and_ticks_once_it_is_mended() throws Exception {
        queue.database()
                .put((ObjectNode) new JsonMapper().readTree("{\"_id\":\"schedule:broken\",\"cron\":\"every day\"}"));
        try (Worker worker = worker(queue)) {
            queue.schedules().put(everySecond("good"));
            assertThat(next()).startsWith("good@");
            queue.schedules().put(everySecond("broken"));
            String id = next();
            while (!id.startsWith("broken@")) {
                id = next();
            }
            assertThat(worker.stats().claimed()).isPositive();
        }
    }

    @Test
    void a_worker_without_a_scheduler_makes_no_jobs() throws Exception {
        queue.schedules().put(everySecond("s"));
        try (Worker worker = workerWithoutScheduler()) {
            Instant first = queue.schedules().next("s", 2).get(1);
            TestQueue.until(() -> Instant.now().isAfter(first.plusSeconds(1)));
            assertThat(worker.stats().claimed()).isZero();
            assertThat(queue.all("tick").count()).isZero();
        }
    }

    @Test
    void the_scheduler_ends_with_the_last_worker_and_starts_again_with_the_next() throws Exception {
        queue.schedules().put(everySecond("s"));
        Worker one = worker(queue);
        Worker two = worker(queue);
        next();
        one.close();
        ran.clear();
        next();
        two.close();
        assertThatNoMoreAreMade();
        try (Worker three = worker(queue)) {
            ran.clear();
            assertThat(next()).startsWith("s@");
            assertThat(three.stats().claimed()).isPositive();
        }
    }

    @Test
    void the_scheduler_lives_as_long_as_a_worker_that_has_one_whatever_the_others_do() throws Exception {
        queue.schedules().put(everySecond("s"));
        Worker early = workerWithoutScheduler();
        Worker making = worker(queue);
        Worker late = workerWithoutScheduler();
        next();
        early.close();
        ran.clear();
        next();
        next();
        making.close();
        assertThatNoMoreAreMade();
        late.close();
    }

    /** But for one tick that may have been on its way. */
    private void assertThatNoMoreAreMade() throws Exception {
        long made = queue.all("tick").count();
        Instant third = queue.schedules().next("s", 3).get(2);
        TestQueue.until(() -> Instant.now().isAfter(third));
        assertThat(queue.all("tick").count()).isBetween(made, made + 1);
    }

    private static ScheduleRequest everySecond(String name) {
        return Schedule.named(name)
                .every(Duration.ofSeconds(1))
                .job(JobRequest.of("tick", Map.of()))
                .build();
    }

    private Worker worker(JobQueue of) {
        return of.worker()
                .handler("tick", (data, context) -> {
                    Job job = of.get("tick", context.id().id()).orElseThrow();
                    ran.add(job.id().id());
                    return Map.of();
                })
                .start();
    }

    private Worker workerWithoutScheduler() {
        return queue.worker()
                .withoutScheduler()
                .handler("tick", (data, context) -> ran.add(context.id().id()))
                .start();
    }

    private String next() throws InterruptedException {
        String id = ran.poll(TestQueue.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (id == null) {
            throw new AssertionError("no job ran");
        }
        return id;
    }
}
