package io.couchjobs;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.TestQueue;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A queue whose types get limits and rates. */
abstract class LimitedQueue {
    TestDatabase database;
    JobQueue queue;

    @BeforeEach
    void open(TestDatabase fresh) {
        database = fresh;
        queue = TestQueue.open(fresh);
    }

    @AfterEach
    void close() {
        queue.close();
    }

    void add(String type, String id, String group) {
        queue.add(request(type, id, group));
    }

    static JobRequest request(String type, String id, String group) {
        return JobRequest.builder(type).id(id).group(group).data(Map.of()).build();
    }
}
