package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A hook that does not return by itself. */
@ServerTest
class ExhaustedHookTest extends EmailQueue {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);

    private final class Hanging implements JobHandler<ObjectNode> {
        @Override
        public Object handle(ObjectNode data, JobContext context) {
            throw new PermanentJobException("never");
        }

        @Override
        public void exhausted(ObjectNode data, JobContext context, Throwable problem) throws Exception {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                interrupted.countDown();
            }
        }
    }

    @Test
    void a_worker_that_closes_interrupts_it() throws Exception {
        Worker worker =
                queue.worker().handler("email", ObjectNode.class, new Hanging()).start();
        add("1", "ok");
        begun.await();
        worker.close(Duration.ZERO);
        assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(worker.stats().failed()).isEqualTo(1);
    }
}
