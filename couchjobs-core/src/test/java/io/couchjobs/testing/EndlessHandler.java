package io.couchjobs.testing;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A handler that goes on until it is interrupted, and then tells why. For one job. Thread-safe. */
public final class EndlessHandler implements JobHandler<JsonNode> {
    private final CountDownLatch running = new CountDownLatch(1);
    private final BlockingQueue<Optional<JobContext.StopReason>> reasons = new LinkedBlockingQueue<>();

    @Override
    public Object handle(JsonNode data, JobContext context) throws InterruptedException {
        running.countDown();
        try {
            new CountDownLatch(1).await();
        } finally {
            reasons.add(context.stopReason());
        }
        throw new AssertionError("nobody counts down");
    }

    public void awaitStart() throws InterruptedException {
        running.await();
    }

    /** Why it was stopped; empty when it has not been, or nobody says why. */
    public Optional<JobContext.StopReason> stopped(long seconds) throws InterruptedException {
        Optional<JobContext.StopReason> reason = reasons.poll(seconds, TimeUnit.SECONDS);
        return reason == null ? Optional.empty() : reason;
    }
}
