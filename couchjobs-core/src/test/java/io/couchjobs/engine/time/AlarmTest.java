package io.couchjobs.engine.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AlarmTest {
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration LATE = Duration.ofSeconds(9);

    private final StillLane lane = new StillLane();
    private int rings;
    private final Alarm alarm = new Alarm(lane, () -> rings++);

    @Test
    void the_earliest_request_counts() {
        alarm.within(LATE);
        alarm.within(SOON);
        alarm.within(LATE);
        assertThat(lane.pauses()).containsExactly(SOON);
    }

    @Test
    void a_failed_try_is_not_hastened() {
        alarm.within(SOON);
        alarm.notBefore(LATE);
        alarm.now();
        assertThat(lane.pauses()).containsExactly(LATE);
    }

    @Test
    void after_the_ring_requests_count_again() {
        alarm.notBefore(LATE);
        lane.plans.remove(0).body.run();
        assertThat(rings).isEqualTo(1);
        alarm.within(SOON);
        assertThat(lane.pauses()).containsExactly(SOON);
    }

    @Test
    void nothing_is_planned_on_a_closed_lane() {
        lane.close();
        alarm.now();
        alarm.notBefore(LATE);
        assertThat(lane.pauses()).isEmpty();
    }

    /** A lane whose time stands still. */
    private static final class StillLane implements Lane {
        private final List<Plan> plans = new ArrayList<>();
        private boolean closed;

        private final class Plan implements Planned {
            private final Duration pause;
            private final Runnable body;

            Plan(Duration pause, Runnable body) {
                this.pause = pause;
                this.body = body;
            }

            @Override
            public void cancel() {
                plans.remove(this);
            }

            @Override
            public Duration left() {
                return pause;
            }
        }

        List<Duration> pauses() {
            return plans.stream().map(plan -> plan.pause).toList();
        }

        @Override
        public Planned schedule(Duration pause, Runnable body) {
            Plan plan = new Plan(pause, body);
            plans.add(plan);
            return plan;
        }

        @Override
        public void finish() {
            closed = true;
        }

        @Override
        public void close() {
            closed = true;
        }

        @Override
        public boolean isClosed() {
            return closed;
        }

        @Override
        public boolean awaitEnd(Duration longest) {
            return true;
        }
    }
}
