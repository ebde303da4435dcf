package io.couchjobs.scope;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A handler whose jobs begin, are seen to, and end when the test lets them. Thread-safe. */
public final class Gates implements JobHandler<ObjectNode> {
    private final Semaphore begun = new Semaphore(0);
    private final CountDownLatch end = new CountDownLatch(1);

    @Override
    public Object handle(ObjectNode data, JobContext context) throws Exception {
        begun.release();
        end.await();
        if (data.has("fail")) {
            throw new IllegalStateException(data.path("fail").asText());
        }
        return "done";
    }

    /** Waits until so many more runs have begun. */
    public void awaitBegun(int runs) throws InterruptedException {
        if (!begun.tryAcquire(runs, TestQueue.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError(runs + " runs did not begin");
        }
    }

    /** How many more have begun than were waited for. */
    int begunBeyond() {
        return begun.availablePermits();
    }

    public void open() {
        end.countDown();
    }
}
