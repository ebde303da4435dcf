package io.couchjobs.engine.gc;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.log.JobLogs;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Logs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The logs of jobs that are deleted: they go with their jobs, and those that a crash left behind with a collection. */
final class FinishedLogs {
    private static final int PAGE = 500;

    private final CouchDatabase database;
    private final JobLogs logs;

    FinishedLogs(QueueParts parts) {
        this.database = parts.store().database();
        this.logs = new JobLogs(parts.store(), parts.feed());
    }

    /** Most types have none: that saves a question per job. */
    boolean hasAny(String type) {
        String prefix = DocIds.LOG + type;
        return !database.view(ViewQuery.allDocs()
                        .startKey(prefix + ":")
                        .endKey(prefix + ";")
                        .inclusiveEnd(false)
                        .limit(1))
                .rows()
                .isEmpty();
    }

    /** By job, what deletes its log as it is now; to be asked before the job is deleted, and added anew by somebody. */
    Map<JobId, List<ObjectNode>> tombstonesOf(List<JobId> jobs) {
        Map<JobId, List<ObjectNode>> tombstones = new HashMap<>();
        jobs.forEach(job -> tombstones.put(job, logs.tombstonesOf(job)));
        return tombstones;
    }

    void delete(List<ObjectNode> tombstones) {
        logs.write(tombstones);
    }

    /** Deletes the chunks of all jobs that are not there. */
    void deleteOrphans() throws InterruptedException {
        String after = DocIds.LOG;
        List<ViewResult.Row> page = page(after);
        while (!page.isEmpty()) {
            Pace pace = new Pace(ServerAccess.environment(database.server()));
            Set<String> missing = missing(page);
            List<ObjectNode> tombstones = page.stream()
                    .filter(row -> missing.contains(jobDocId(row)))
                    .map(JobLogs::tombstone)
                    .toList();
            database.bulkDocs(tombstones);
            after = String.valueOf(page.get(page.size() - 1).id());
            pace.rest();
            page = page(after + "\u0000");
        }
    }

    private List<ViewResult.Row> page(String from) {
        return database.view(ViewQuery.allDocs()
                        .startKey(from)
                        .endKey("log;")
                        .inclusiveEnd(false)
                        .limit(PAGE))
                .rows();
    }

    private Set<String> missing(List<ViewResult.Row> chunks) {
        Set<String> jobs = new LinkedHashSet<>();
        chunks.stream().map(FinishedLogs::jobDocId).filter(id -> !id.isEmpty()).forEach(jobs::add);
        Set<String> missing = new HashSet<>();
        if (!jobs.isEmpty()) {
            List<String> ids = new ArrayList<>(jobs);
            List<ViewResult.Row> rows =
                    database.view(ViewQuery.allDocs().keys(ids)).rows();
            for (int i = 0; i < rows.size(); i++) {
                boolean deleted = rows.get(i).value().path("deleted").asBoolean();
                if (deleted || rows.get(i).error().equals(Optional.of("not_found"))) {
                    missing.add(ids.get(i));
                }
            }
        }
        return missing;
    }

    private static String jobDocId(ViewResult.Row chunk) {
        return Logs.Chunk.jobOf(String.valueOf(chunk.id())).map(JobId::docId).orElse("");
    }
}
