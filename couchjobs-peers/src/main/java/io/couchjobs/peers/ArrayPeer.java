package io.couchjobs.peers;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobType;
import io.couchjobs.worker.Worker;
import java.net.URI;
import java.util.Collections;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** couchjobs with one array, in a database of its own: each item is what a job is for the others. */
final class ArrayPeer implements Peer {
    @SuppressWarnings("rawtypes")
    private static final JobType<Map> TYPE = JobType.of("bench", Map.class);

    private static final String ARRAY = "items";

    private final JobQueue queue;
    private @Nullable Worker worker;

    ArrayPeer(URI server) {
        String name = "couchjobs-peers-" + UUID.randomUUID();
        this.queue = JobQueue.builder(server.resolve("/" + name)).open();
        queue.operations().init();
    }

    @Override
    public void addAll(int items) {
        queue.addArray(TYPE, ARRAY, Collections.nCopies(items, Map.of("text", Payload.TEXT)));
    }

    @Override
    public void add() {
        throw new UnsupportedOperationException("an array is added as a whole");
    }

    @Override
    public void start(int places, Runnable onRun) {
        worker = queue.worker()
                .concurrency(places)
                .handler(TYPE, (data, context) -> {
                    onRun.run();
                    return null;
                })
                .start();
    }

    /** Asked when all items have run: then all chunks were claimed. */
    @Override
    public boolean haveEnded(int runs) {
        return worker != null && worker.stats().succeeded() == worker.stats().claimed();
    }

    @Override
    public void close() {
        if (worker != null) {
            worker.close();
        }
        queue.database().delete();
        queue.close();
    }
}
