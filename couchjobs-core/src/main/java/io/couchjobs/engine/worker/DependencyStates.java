package io.couchjobs.engine.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.engine.lifecycle.Resolution;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.JobTombstone;
import io.couchjobs.job.After;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.MalformedJobException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The states of jobs that others wait for, as they were read once. Not thread-safe. */
final class DependencyStates {
    private static final int PAGE = 500;

    private final JobStore store;
    private final Map<JobId, JobStatus> states = new HashMap<>();
    private final Set<JobId> removed = new HashSet<>();

    private DependencyStates(JobStore store) {
        this.store = store;
    }

    static DependencyStates read(JobStore store, Collection<JobId> awaited) {
        DependencyStates outcomes = new DependencyStates(store);
        List<String> ids = awaited.stream().map(JobId::docId).toList();
        for (int from = 0; from < ids.size(); from += PAGE) {
            outcomes.read(ids.subList(from, Math.min(from + PAGE, ids.size())));
        }
        return outcomes;
    }

    /** Whether somebody who waits for these jobs may go. */
    After.Verdict judge(After after) {
        return after.judge(states, removed);
    }

    /** Whether a job is finished, or gone. */
    boolean isOver(JobId id) {
        JobStatus status = states.get(id);
        return removed.contains(id) || (status != null && status.phase() == JobPhase.FINISHED);
    }

    private void read(List<String> docIds) {
        store.database()
                .view(ViewQuery.allDocs().keys(docIds).includeDocs(true).conflicts(true))
                .documentRows()
                .forEach(row -> JobId.fromDocId(String.valueOf(row.id())).ifPresent(id -> note(id, row)));
    }

    private void note(JobId id, ViewResult.Row row) {
        if (row.value() != null && row.value().path("deleted").asBoolean()) {
            // Retention may have been quicker than we were: that is no removal by somebody who does not want the job.
            Optional<ObjectNode> tombstone =
                    store.database().get(id.docId(), row.value().path("rev").asText());
            if (tombstone.filter(Resolution::isOfLoser).isPresent()) {
                noteLeaves(id);
            } else {
                tombstone
                        .flatMap(JobTombstone::retiredStatus)
                        .ifPresentOrElse(status -> states.put(id, status), () -> removed.add(id));
            }
        } else {
            statusOf(row).ifPresent(status -> states.put(id, status));
        }
    }

    /** The tombstone of a leaf that lost says nothing of the job; that of its removal, or of retention, may stand beside it. */
    private void noteLeaves(JobId id) {
        store.database().leaves(id.docId()).stream()
                .filter(leaf -> leaf.path("_deleted").asBoolean() && !Resolution.isOfLoser(leaf))
                .findFirst()
                .ifPresent(leaf -> JobTombstone.retiredStatus(leaf)
                        .ifPresentOrElse(status -> states.put(id, status), () -> removed.add(id)));
    }

    /** The state of a job with conflicts is not known; when they are resolved, the feed tells of the job again. */
    private static Optional<JobStatus> statusOf(ViewResult.Row row) {
        try {
            return Optional.ofNullable(row.doc())
                    .filter(document -> !document.has("_conflicts"))
                    .map(Job::parse)
                    .map(Job::status);
        } catch (MalformedJobException notAJobNow) {
            return Optional.empty();
        }
    }
}
