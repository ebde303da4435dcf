package io.couchjobs.testing;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobRequest;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A server of a test's own, whose requests can be made to fail, and a queue on it. */
public abstract class FaultyServer {
    private final Duration defaultTimeout;
    protected EmbeddedCouch couch;
    protected JobQueue queue;

    protected FaultyServer() {
        this(Duration.ofSeconds(60));
    }

    protected FaultyServer(Duration defaultTimeout) {
        this.defaultTimeout = defaultTimeout;
    }

    @BeforeEach
    protected void open() throws Exception {
        couch = EmbeddedCouch.inMemory().start();
        queue = another(defaultTimeout);
    }

    @AfterEach
    protected void close() {
        couch.faults().clear();
        queue.close();
        couch.close();
    }

    protected JobQueue another(Duration timeout) {
        return JobQueue.builder(URI.create(couch.url() + "jobs"))
                .renewLeases(false)
                .defaultTimeout(timeout)
                .open();
    }

    protected void add(String type, String id) {
        queue.add(JobRequest.builder(type).id(id).data(Map.of()).build());
    }
}
