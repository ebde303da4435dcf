package io.couchjobs.simulation;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.store.FinishedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.testing.Stores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Deletes what has finished, soon, as the index of its node shows it. */
final class RetentionActor {
    private static final Duration LAG = Duration.ofSeconds(5);

    private final Client client;
    private final Journal journal;

    RetentionActor(Client client, Journal journal) {
        this.client = client;
        this.journal = journal;
    }

    void start() {
        client.process().play("retention", this::work);
    }

    private void work() {
        while (true) {
            client.process()
                    .pause(Duration.ofMillis(1_000 + client.process().random().nextInt(3_000)));
            List<FinishedJob> rows = rows();
            if (!rows.isEmpty()) {
                rows.forEach(row -> journal.retired(JobId.fromDocId(row.docId()).orElseThrow()));
                try {
                    client.parts().store().retire(rows);
                } catch (CouchJobsException away) {
                    journal.note(client.process(), "cannot-retire " + away.getMessage());
                }
            }
        }
    }

    /** Documents with conflicts are not among them. */
    private List<FinishedJob> rows() {
        Database own = client.door().node(client.node()).own(Client.DATABASE);
        Instant until = client.parts().clock().instant().minus(LAG);
        List<FinishedJob> rows = new ArrayList<>();
        var ids = own.live().cursor(DocIds.JOB, null, false);
        while (ids.hasNext()) {
            String id = ids.next();
            if (id.startsWith(DocIds.JOB)) {
                own.live(id)
                        .map(doc -> doc.jsonWithConflicts())
                        .filter(doc -> !doc.has("_conflicts"))
                        .map(doc -> Job.parse(doc))
                        .filter(job -> job.phase() == JobPhase.FINISHED)
                        .filter(job -> job.times()
                                .getOrDefault("finished", Instant.MAX)
                                .isBefore(until))
                        .ifPresent(job -> rows.add(Stores.row(job)));
            }
        }
        return rows;
    }
}
