package io.couchjobs.peers;

import io.couchjobs.job.JobType;
import java.net.URI;
import java.util.Collections;
import java.util.Map;

/** couchjobs with one array. Its items correspond to the jobs of the other peers. */
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

    /** Called only after all items have run, so all chunks have been claimed. */
    @Override
    public boolean haveEnded(int runs) {
        return worker != null && worker.stats().succeeded() == worker.stats().claimed();
    }
}
