package io.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.cluster.Stage;
import io.couchjobs.embedded.cluster.VirtualTime;
import io.couchjobs.engine.time.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The simulated clock counts microseconds; the product counts nanoseconds. */
class SimulatedProcessTest {
    private static final Duration LESS_THAN_A_TICK = Duration.ofNanos(187);

    private final VirtualTime time = new VirtualTime();
    private final Stage stage = new Stage(time);
    private final SimulatedProcess process = new SimulatedProcess("process", stage, time, 1);
    private final List<Long> nanos = new ArrayList<>();

    @AfterEach
    void close() {
        stage.close();
    }

    @Test
    void a_wait_never_ends_early() {
        process.play("waits", () -> {
            process.await(new CompletableFuture<Void>(), LESS_THAN_A_TICK);
            nanos.add(process.nanos());
        });
        time.pass(Duration.ofMillis(1));
        assertThat(nanos).containsExactly(1_000L);
    }

    @Test
    void a_pause_never_ends_early() {
        process.play("pauses", () -> {
            process.pause(LESS_THAN_A_TICK);
            nanos.add(process.nanos());
        });
        time.pass(Duration.ofMillis(1));
        assertThat(nanos).containsExactly(1_000L);
    }

    @Test
    void a_planned_task_never_begins_early() {
        try (Lane lane = process.lane("plans", 1)) {
            lane.schedule(LESS_THAN_A_TICK, () -> nanos.add(process.nanos()));
            time.pass(Duration.ofMillis(1));
        }
        assertThat(nanos).containsExactly(1_000L);
    }
}
