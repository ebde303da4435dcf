package io.couchjobs;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WithoutNetwork;
import io.couchjobs.embedded.http.WithinThread;
import io.couchjobs.embedded.store.CouchStore;
import io.couchjobs.job.Site;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** A queue on the embedded server, in memory and without connections. */
public final class LocalQueue {
    private static final URI NOWHERE = URI.create("http://couch/jobs");

    private LocalQueue() {}

    /** A queue in a store of its own. */
    public static JobQueue open() {
        JobQueue queue = over(new WithinThread(CouchStore.open(null)));
        queue.operations().init();
        return queue;
    }

    /** A queue on a server of which nothing is asked yet. */
    public static JobQueue over(WithoutNetwork.Server server) {
        CouchDatabase database = WithoutNetwork.connect(server).database("jobs");
        return new JobQueue(database, JobQueue.builder(NOWHERE), Site.UNNAMED);
    }

    /** Removes all traces of a document. */
    public static void purge(JobQueue queue, String id) {
        List<String> leaves = queue.database().leaves(id).stream()
                .map(leaf -> leaf.path("_rev").asText())
                .toList();
        if (!leaves.isEmpty()) {
            queue.database().purge(Map.of(id, leaves));
        }
    }
}
