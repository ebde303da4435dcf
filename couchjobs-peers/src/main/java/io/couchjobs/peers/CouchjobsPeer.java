package io.couchjobs.peers;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobRequest;
import io.couchjobs.worker.Worker;
import java.net.URI;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** couchjobs, in a database of its own. */
class CouchjobsPeer implements Peer {
    static final String TYPE = "bench";
    private static final int AT_ONCE = 2_000;

    final JobQueue queue;

    @Nullable
    Worker worker;

    CouchjobsPeer(URI server) {
        String name = "couchjobs-peers-" + UUID.randomUUID();
        this.queue = JobQueue.builder(server.resolve("/" + name)).open();
        queue.operations().init();
    }

    @Override
    public void addAll(int jobs) {
        for (int left = jobs; left > 0; left -= AT_ONCE) {
            queue.addAll(Stream.generate(CouchjobsPeer::job)
                    .limit(Math.min(left, AT_ONCE))
                    .toList());
        }
    }

    @Override
    public void add() {
        queue.add(job());
    }

    private static JobRequest job() {
        return JobRequest.of(TYPE, Map.of("text", Payload.TEXT));
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

    @Override
    public boolean haveEnded(int runs) {
        return worker != null && worker.stats().succeeded() >= runs;
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
