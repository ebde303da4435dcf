package io.couchjobs.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TrafficTest {
    @Test
    @SuppressWarnings("try") // the orders only have to come in
    void orders_go_on_after_one_that_the_server_refused() {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                JobQueue queue = JobQueue.open(couch.url() + "shop")) {
            couch.faults().answer(1, request -> request.path().contains("/parcel"), 404);
            try (Traffic traffic = Traffic.start(queue)) {
                long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
                while (queue.get("email", "order-2").isEmpty()) {
                    assertThat(System.nanoTime()).isLessThan(deadline);
                    LockSupport.parkNanos(5_000_000);
                }
            }
        }
    }
}
