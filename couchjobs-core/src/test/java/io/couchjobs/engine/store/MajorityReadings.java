package io.couchjobs.engine.store;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Stores;
import java.util.List;
import java.util.Optional;

/** What a process takes for the state that a majority of the copies has. */
public final class MajorityReadings {
    private MajorityReadings() {}

    /** {@return a state as one that a majority has} */
    public static Snapshot confirmed(Snapshot seen) {
        return seen.confirmed();
    }

    /** {@return the end that a job is read to have; none when it has not ended or nothing can be told now} */
    public static List<JobStatus> ends(CouchDatabase database, Conflicts conflicts, JobId id) {
        JobWriter writer = Stores.writer(database);
        return new MajorityReader(writer, conflicts)
                .read(List.of(id.docId())).stream()
                        .flatMap(read -> read.values().stream())
                        .flatMap(Optional::stream)
                        .filter(Snapshot::isEnd)
                        .flatMap(end -> end.job().stream())
                        .map(Job::status)
                        .toList();
    }
}
