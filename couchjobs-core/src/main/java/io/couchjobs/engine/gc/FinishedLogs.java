package io.couchjobs.engine.gc;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.log.JobLogs;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.ShownLeaves;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Logs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Deletes the logs of deleted jobs: together with the job, or in a garbage collection if a crash left the log behind. */
final class FinishedLogs {
    private static final int PAGE = 500;

    private final JobStore store;
    private final CouchDatabase database;
    private final JobLogs logs;

    FinishedLogs(QueueParts parts) {
        this.store = parts.store();
        this.database = store.database();
        this.logs = new JobLogs(parts.store(), parts.feed());
    }

    /** Returns whether a type has any logs. Most types have none, and then no request per job is needed. */
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

    /**
     * Returns, by job, the tombstones that delete its present log. Must be called before the jobs are deleted, because a
     * job may be added anew afterwards.
     */
    Map<JobId, List<ObjectNode>> tombstonesOf(List<JobId> jobs) {
        Map<JobId, List<ObjectNode>> tombstones = new HashMap<>();
        jobs.forEach(job -> tombstones.put(job, logs.tombstonesOf(job)));
        return tombstones;
    }

    void delete(List<ObjectNode> tombstones) {
        logs.write(tombstones);
    }

    /** Deletes the log chunks of all jobs that do not exist. */
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

    /**
     * Returns the jobs that do not exist; none while no majority of a cluster's copies is in reach, because the copy that
     * answers may lack a job.
     */
    private Set<String> missing(List<ViewResult.Row> chunks) {
        List<String> missing = absent(chunks.stream()
                .map(FinishedLogs::jobDocId)
                .filter(id -> !id.isEmpty())
                .distinct()
                .toList());
        if (missing.isEmpty() || !store.isCluster()) {
            return Set.copyOf(missing);
        }
        return store.majority()
                .read(missing, () -> ShownLeaves.read(database, missing))
                .map(FinishedLogs::withoutLeaf)
                .orElse(Set.of());
    }

    private List<String> absent(List<String> docIds) {
        List<String> absent = new ArrayList<>();
        if (!docIds.isEmpty()) {
            for (ViewResult.Row row :
                    database.view(ViewQuery.allDocs().keys(docIds)).rows()) {
                boolean deleted = row.value().path("deleted").asBoolean();
                if (deleted || row.error().equals(Optional.of("not_found"))) {
                    absent.add(row.key().asText());
                }
            }
        }
        return absent;
    }

    private static Set<String> withoutLeaf(Map<String, List<ObjectNode>> found) {
        Set<String> gone = new HashSet<>();
        found.forEach((docId, leaves) -> {
            if (JobStore.live(leaves).isEmpty()) {
                gone.add(docId);
            }
        });
        return gone;
    }

    private static String jobDocId(ViewResult.Row chunk) {
        return Logs.Chunk.jobOf(String.valueOf(chunk.id())).map(JobId::docId).orElse("");
    }
}
