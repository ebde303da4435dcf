package io.couchjobs.peers;

import io.couchjobs.job.JobType;
import java.net.URI;
import java.util.Collections;
import java.util.Map;

/** couchjobs with one array: each item is what a job is for the others. */
final class ArrayPeer extends CouchjobsPeer {
    ArrayPeer(URI server) {
        super(server);
    }

    @Override
    public void addAll(int items) {
        queue.addArray(JobType.of(TYPE, Map.class), "items", Collections.nCopies(items, Map.of("text", Payload.TEXT)));
    }

    @Override
    public void add() {
        throw new UnsupportedOperationException("an array is added as a whole");
    }

    /** Asked when all items have run: then all chunks were claimed. */
    @Override
    public boolean haveEnded(int runs) {
        return worker != null && worker.stats().succeeded() == worker.stats().claimed();
    }
}
