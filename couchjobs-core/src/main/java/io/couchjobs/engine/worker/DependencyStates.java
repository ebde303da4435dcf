package io.couchjobs.engine.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.lifecycle.Resolution;
import io.couchjobs.engine.store.JobDocument;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.JobTombstone;
import io.couchjobs.engine.store.ShownLeaves;
import io.couchjobs.job.After;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The states of jobs that other jobs wait for, as determined by all leaves of their documents. The state of a job whose leaves
 * are to be resolved is unknown. After the resolution, the feed reports the job again. Not thread-safe.
 */
final class DependencyStates {
    private static final int PAGE = 500;

    private final JobStore store;
    private final Map<JobId, JobStatus> states = new HashMap<>();
    private final Set<JobId> removed = new HashSet<>();
    private final Set<JobId> uncertain = new HashSet<>();

    private DependencyStates(JobStore store) {
        this.store = store;
    }

    static DependencyStates read(JobStore store, Collection<JobId> awaited) {
        DependencyStates outcomes = new DependencyStates(store);
        List<JobId> ids = List.copyOf(awaited);
        for (int from = 0; from < ids.size(); from += PAGE) {
            outcomes.read(ids.subList(from, Math.min(from + PAGE, ids.size())));
        }
        return outcomes;
    }

    /** {@return whether a job that waits for these jobs may be let go} */
    After.Verdict judge(After after) {
        return after.judge(states, removed);
    }

    /** {@return whether a job is finished or deleted} */
    boolean isOver(JobId id) {
        JobStatus status = states.get(id);
        return removed.contains(id) || (status != null && status.phase() == JobPhase.FINISHED);
    }

    /** {@return whether one of these jobs cannot be read now, or is being changed} */
    boolean isUncertain(After after) {
        return after.jobs().stream().anyMatch(uncertain::contains);
    }

    private void read(List<JobId> page) {
        Map<String, List<ObjectNode>> found = ShownLeaves.read(
                store.database(), page.stream().map(JobId::docId).toList());
        for (JobId id : page) {
            List<ObjectNode> leaves = found.get(id.docId());
            if (leaves == null) {
                uncertain.add(id);
            } else {
                Resolution.settled(leaves).ifPresent(leaf -> note(id, leaf));
            }
        }
    }

    private void note(JobId id, ObjectNode leaf) {
        if (leaf.path("_deleted").asBoolean()) {
            // Retention may have deleted the job before this reading. Such a deletion is no removal by a user.
            JobTombstone.retiredStatus(leaf).ifPresentOrElse(status -> states.put(id, status), () -> removed.add(id));
        } else {
            JobDocument.job(leaf).ifPresent(job -> states.put(id, job.status()));
        }
    }
}
