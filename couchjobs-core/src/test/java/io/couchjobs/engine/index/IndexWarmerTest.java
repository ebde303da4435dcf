package io.couchjobs.engine.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.time.Lane;
import io.couchjobs.testing.ForwardingEnvironment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When the indexes are asked to be brought up to date after writes. The clock stands still but for the test. */
class IndexWarmerTest {
    private final Standstill machine = new Standstill();
    private int warmed;
    private final IndexWarmer warmer = new IndexWarmer(() -> warmed++, machine);

    @AfterEach
    void close() {
        warmer.close();
    }

    @Test
    void half_a_minute_after_many_writes_they_are_asked_once() {
        warmer.wrote(600);
        warmer.wrote(600);
        pass(Duration.ofSeconds(29));
        assertThat(warmed).isZero();
        pass(Duration.ofSeconds(2));
        assertThat(warmed).isEqualTo(1);
        pass(Duration.ofMinutes(5));
        assertThat(warmed).isEqualTo(1);
    }

    @Test
    void after_few_writes_they_are_not() {
        warmer.wrote(20);
        pass(Duration.ofMinutes(5));
        assertThat(warmed).isZero();
    }

    @Test
    void while_writes_never_end_they_are_asked_now_and_then() {
        for (int second = 0; second < 70; second++) {
            warmer.wrote(1_000);
            pass(Duration.ofSeconds(1));
        }
        assertThat(warmed).isEqualTo(2);
    }

    @Test
    void a_process_that_ends_asks_at_once() {
        warmer.wrote(2_000);
        warmer.close();
        assertThat(warmed).isEqualTo(1);
    }

    private void pass(Duration time) {
        for (long left = time.toMillis(); left > 0; left -= 100) {
            machine.now += Duration.ofMillis(100).toNanos();
            machine.runDue();
        }
    }

    /** A machine whose time passes when the test says so, and whose threads are the test's. */
    private static final class Standstill extends ForwardingEnvironment {
        private final Queue<Task> tasks = new ArrayDeque<>();
        private long now;

        private record Task(Runnable body, long at) {}

        void runDue() {
            for (Task next = tasks.peek(); next != null && next.at <= now; next = tasks.peek()) {
                tasks.remove().body.run();
            }
        }

        @Override
        public long nanos() {
            return now;
        }

        @Override
        public Lane lane(String name, int most) {
            return new Lane() {
                private boolean closed;

                @Override
                public Planned schedule(Duration pause, Runnable body) {
                    Task task = new Task(body, now + pause.toNanos());
                    if (!closed) {
                        tasks.add(task);
                    }
                    return new Planned() {
                        @Override
                        public void cancel() {
                            tasks.remove(task);
                        }

                        @Override
                        public Duration left() {
                            return Duration.ofNanos(Math.max(0, task.at - now));
                        }
                    };
                }

                @Override
                public void finish() {
                    closed = true;
                }

                @Override
                public void close() {
                    closed = true;
                    tasks.clear();
                }

                @Override
                public boolean isClosed() {
                    return closed;
                }

                @Override
                public boolean awaitEnd(Duration longest) {
                    return true;
                }
            };
        }
    }
}
