package io.couchjobs.engine.schedule;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.MalformedDocumentException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
            parse(row.doc()).ifPresent(job -> jobs.put(id, job));
        });
    }

    /** A document that somebody made unusable as a job will never run, and holds nothing up. */
    private static Optional<Job> parse(@Nullable ObjectNode document) {
        try {
            return Optional.ofNullable(document).map(Job::parse);
        } catch (MalformedDocumentException notAJob) {
            return Optional.empty();
        }
    }
}
