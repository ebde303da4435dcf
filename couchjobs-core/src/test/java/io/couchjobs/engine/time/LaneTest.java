package io.couchjobs.engine.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LaneTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration AN_HOUR = Duration.ofHours(1);

    private final Lane lane = Environment.REAL.lane("lane-test", 1);
    private final List<String> done = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void close() {
        gate.countDown();
        lane.close();
    }

    @Test
    void tasks_of_a_lane_of_one_run_in_order_one_after_the_other() throws Exception {
        lane.execute(this::waitAtTheGate);
        lane.execute(() -> done.add("a"));
        lane.execute(() -> done.add("b"));
        assertThat(done).isEmpty();
        gate.countDown();
        settle();
        assertThat(done).containsExactly("a", "b");
    }

    @Test
    void as_many_tasks_run_at_a_time_as_the_lane_allows() throws Exception {
        Lane wide = Environment.REAL.lane("lane-test-wide", 2);
        CountDownLatch both = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            wide.execute(() -> {
                both.countDown();
                waitAtTheGate();
            });
        }
        assertThat(both.await(30, TimeUnit.SECONDS)).isTrue();
        wide.close();
    }

    @Test
    void a_task_has_the_name_of_its_lane_and_the_loader_of_the_thread_that_made_it() throws Exception {
        CompletableFuture<Thread> seen = new CompletableFuture<>();
        CompletableFuture<ClassLoader> loader = new CompletableFuture<>();
        lane.execute(() -> {
            done.add(Thread.currentThread().getName());
            loader.complete(Thread.currentThread().getContextClassLoader());
            seen.complete(Thread.currentThread());
        });
        assertThat(seen.get(30, TimeUnit.SECONDS).isDaemon()).isTrue();
        assertThat(done).containsExactly("lane-test");
        assertThat(loader.get()).isSameAs(Thread.currentThread().getContextClassLoader());
    }

    @Test
    void a_task_that_fails_does_not_end_its_lane() throws Exception {
        lane.execute(() -> {
            throw new IllegalStateException("on purpose");
        });
        lane.execute(() -> done.add("after"));
        settle();
        assertThat(done).containsExactly("after");
    }

    @Test
    void an_interrupt_that_a_task_leaves_behind_does_not_reach_the_next_one() throws Exception {
        lane.execute(() -> Thread.currentThread().interrupt());
        lane.execute(() -> done.add("interrupted: " + Thread.interrupted()));
        settle();
        assertThat(done).containsExactly("interrupted: false");
    }

    @Test
    void a_planned_task_can_be_cancelled_and_says_how_long_it_waits() throws Exception {
        Lane.Planned planned = lane.schedule(AN_HOUR, () -> done.add("never"));
        assertThat(planned.left()).isBetween(Duration.ofMinutes(59), AN_HOUR);
        planned.cancel();
        lane.schedule(Duration.ofMillis(1), () -> done.add("soon"));
        lane.schedule(Duration.ofMillis(2), this::finished);
        gate.await();
        assertThat(done).containsExactly("soon");
    }

    @Test
    void a_lane_that_finishes_runs_what_is_due_and_drops_the_rest() throws Exception {
        lane.execute(this::waitAtTheGate);
        lane.execute(() -> done.add("due"));
        lane.schedule(AN_HOUR, () -> done.add("planned"));
        lane.finish();
        lane.execute(() -> done.add("too late"));
        gate.countDown();
        assertThat(lane.awaitEnd(PATIENCE)).isTrue();
        assertThat(done).containsExactly("due");
        assertThat(lane.isClosed()).isTrue();
    }

    @Test
    void a_lane_that_is_closed_interrupts_what_runs_and_drops_the_rest() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        lane.execute(() -> {
            begun.countDown();
            waitAtTheGate();
        });
        lane.execute(() -> done.add("due"));
        begun.await();
        lane.close();
        assertThat(lane.awaitEnd(PATIENCE)).isTrue();
        assertThat(done).containsExactly("interrupted");
    }

    @Test
    void waiting_for_the_end_gives_up_after_its_time_and_may_be_told_any_time() throws Exception {
        lane.execute(this::waitAtTheGate);
        lane.finish();
        assertThat(lane.awaitEnd(Duration.ofMillis(1))).isFalse();
        gate.countDown();
        assertThat(lane.awaitEnd(Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
    }

    private void settle() throws InterruptedException {
        gate.countDown();
        lane.finish();
        assertThat(lane.awaitEnd(PATIENCE)).isTrue();
    }

    private void finished() {
        gate.countDown();
    }

    private void waitAtTheGate() {
        try {
            gate.await();
        } catch (InterruptedException e) {
            done.add("interrupted");
        }
    }

    @Test
    void a_task_in_a_million_days_is_planned_and_can_be_cancelled() throws Exception {
        Lane.Planned task = lane.schedule(Duration.ofDays(1_000_000), () -> done.add("late"));
        assertThat(task.left()).isGreaterThan(Duration.ofDays(36_000));
        task.cancel();
        settle();
        assertThat(done).isEmpty();
    }
}
