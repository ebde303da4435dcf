package io.couchjobs.testing;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.worker.Worker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A queue with databases whose changes make jobs of the type "mail", and a worker that keeps the data of those that it ran. */
public final class MailQueue implements AutoCloseable {
    private final List<ObjectNode> ran = Collections.synchronizedList(new ArrayList<>());
    private final JobQueue queue;
    private final SourceDatabases sources;
    private final Worker worker;

    public MailQueue(TestDatabase database) {
        queue = TestQueue.open(database);
        sources = new SourceDatabases(database, queue);
        worker = queue.worker()
                .handler("mail", (data, context) -> {
                    ran.add(data);
                    return null;
                })
                .start();
    }

    public JobQueue queue() {
        return queue;
    }

    public SourceDatabases sources() {
        return sources;
    }

    /** The data of the jobs that were run, in their order. */
    public List<ObjectNode> ran() {
        return ran;
    }

    @Override
    public void close() {
        worker.close();
        sources.close();
        queue.close();
    }
}
