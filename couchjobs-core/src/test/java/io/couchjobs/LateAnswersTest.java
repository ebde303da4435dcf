package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Subscription;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.Worker;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What becomes of a run when the feed is quicker than the answer to its claim. */
@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class LateAnswersTest {
    private static final JobId JOB = new JobId("email", "1");
    private static final JobId WITNESS = new JobId("other", "1");

    @Test
    void a_job_that_was_removed_before_its_claim_was_answered_is_halted(TestDatabase database) throws Exception {
        CompletableFuture<Optional<JobContext.StopReason>> stopped = new CompletableFuture<>();
        try (Proxy proxy = Proxy.before(database.server());
                JobQueue creator = TestQueue.open(database);
                JobQueue queue = TestQueue.open(proxy.door(database))) {
            creator.add(JobRequest.builder(WITNESS.type())
                    .id(WITNESS.id())
                    .data(Map.of())
                    .build());
            Held claim = proxy.holdAnswer(
                    request -> request.isBulkWrite() && request.body().contains(JOB.docId()));
            try (Worker worker = queue.worker()
                            .handler(JOB.type(), (data, context) -> {
                                try {
                                    new CountDownLatch(1).await();
                                } finally {
                                    stopped.complete(context.stopReason());
                                }
                                return null;
                            })
                            .start();
                    Subscription witness = queue.subscribe(WITNESS)) {
                creator.add(JobRequest.builder(JOB.type())
                        .id(JOB.id())
                        .data(Map.of())
                        .build());
                claim.awaitArrival();
                creator.remove(JOB);
                creator.cancel(WITNESS, CancelMode.IF_QUEUED);
                witness.ended()
                        .get(TestQueue.PATIENCE.toSeconds(), TimeUnit.SECONDS); // so the feed has told of the removal
                claim.release();
                assertThat(stopped.get(TestQueue.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .contains(JobContext.StopReason.HALTED);
                assertThat(worker.stats().succeeded()).isZero();
            }
        }
    }
}
