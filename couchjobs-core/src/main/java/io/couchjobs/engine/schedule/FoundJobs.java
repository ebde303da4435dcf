package io.couchjobs.engine.schedule;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.engine.store.JobDocument;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The job documents that one request found; a removed job is told from one that never was. */
final class FoundJobs {
    private final Map<JobId, Job> jobs = new HashMap<>();
    private final Set<JobId> known = new HashSet<>();

    private FoundJobs() {}

    static FoundJobs of(CouchDatabase database, List<JobId> ids) {
        FoundJobs found = new FoundJobs();
        if (!ids.isEmpty()) {
            ViewQuery query = ViewQuery.allDocs()
                    .keys(ids.stream().map(JobId::docId).toList())
                    .includeDocs(true);
            database.view(query).documentRows().forEach(found::add);
        }
        return found;
    }

    /** Whether there is, or was, a document of that id. */
    boolean isKnown(JobId id) {
        return known.contains(id);
    }

    Optional<Job> job(JobId id) {
        return Optional.ofNullable(jobs.get(id));
    }

    boolean isUnfinished(JobId id) {
        return job(id).filter(job -> job.phase() != JobPhase.FINISHED).isPresent();
    }

    private void add(ViewResult.Row row) {
        if (row.error().isPresent()) {
            return;
        }
        JobId.fromDocId(row.key().asText()).ifPresent(id -> {
            known.add(id);
            // One that somebody made unusable as a job will never run, and holds nothing up.
            JobDocument.job(row).ifPresent(job -> jobs.put(id, job));
        });
    }
}
