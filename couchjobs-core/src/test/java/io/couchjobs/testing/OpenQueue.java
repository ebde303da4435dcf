package io.couchjobs.testing;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A queue on a database of its own, open while a test runs. */
public abstract class OpenQueue {
    protected JobQueue queue;

    @BeforeEach
    protected final void openQueue(TestDatabase database) {
        queue = TestQueue.open(database);
    }

    @AfterEach
    protected final void closeQueue() {
        queue.close();
    }
}
