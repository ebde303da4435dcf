package io.couchjobs;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.RetryPolicy;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A queue of emails, which are retried once and at once. */
abstract class EmailQueue {
    JobQueue queue;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        queue.types()
                .change(
                        "email",
                        settings -> settings.withRetryPolicy(
                                new RetryPolicy(1, Duration.ofMillis(1), Duration.ofMillis(1))));
    }

    @AfterEach
    void close() {
        queue.close();
    }

    void add(String id, String what) {
        queue.add(JobRequest.builder("email").id(id).data(Map.of("do", what)).build());
    }

    Job ended(String what) throws InterruptedException {
        add(what, what);
        return TestQueue.finished(queue, "email", what);
    }
}
