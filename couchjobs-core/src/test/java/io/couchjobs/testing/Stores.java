package io.couchjobs.testing;

import com.fasterxml.jackson.databind.node.NullNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.store.FinishedJob;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.JobWriter;
import io.couchjobs.job.AttachedData;
import io.couchjobs.job.Job;
import io.couchjobs.job.QueueListener;
import io.couchjobs.job.Site;
import java.util.List;
import java.util.OptionalLong;

/** The jobs of a database without a name, as a process sees them that looks after no conflicts. */
public final class Stores {
    private Stores() {}

    public static JobStore of(CouchDatabase database) {
        return of(database, List.of());
    }

    public static JobStore of(CouchDatabase database, List<? extends QueueListener> listeners) {
        return new JobStore(writer(database), id -> {}, listeners, AttachedData.DEFAULT_LIMIT);
    }

    public static JobWriter writer(CouchDatabase database) {
        return new JobWriter(database, Site.UNNAMED, documents -> {});
    }

    /** {@return a job that has ended as a row of the index shows it to retention; with its present revision} */
    public static FinishedJob row(Job ended) {
        return new FinishedJob(
                ended.id().docId(),
                ended.rev().orElseThrow(),
                ended.status(),
                OptionalLong.of(ended.fence()),
                NullNode.getInstance());
    }
}
