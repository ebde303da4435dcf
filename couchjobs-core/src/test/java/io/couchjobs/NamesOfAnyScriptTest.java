package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Names with characters that many programs do not expect. */
@ServerTest
class NamesOfAnyScriptTest extends OpenQueue {
    private static final String ROCKET = "🚀1";

    @Test
    void a_type_whose_name_begins_with_an_emoji_is_among_those_with_settings() {
        queue.types().setTimeout(ROCKET, Duration.ofSeconds(9));
        assertThat(queue.types().settings()).containsKey(ROCKET);
        assertThat(queue.types().counts()).containsKey(ROCKET);
    }

    @Test
    void jobs_of_a_worker_whose_id_begins_with_an_emoji_have_an_owner() throws Exception {
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        CountDownLatch end = new CountDownLatch(1);
        try (Worker worker = queue.worker()
                .id(ROCKET)
                .handler("email", Map.class, (data, context) -> {
                    end.await();
                    return null;
                })
                .start()) {
            TestQueue.until(() -> worker.stats().claimed() == 1);
            assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.RUNNING);
            assertThat(queue.operations().orphaned()).isZero();
            end.countDown();
        }
    }
}
