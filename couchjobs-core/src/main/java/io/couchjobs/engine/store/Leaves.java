package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.lifecycle.Fences;
import io.couchjobs.engine.lifecycle.Rivals;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.MalformedDocumentException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The leaves of a job's document that are not deleted, starting with the leaf that readers see. There is nearly always one.
 * Leaves that are not valid jobs are omitted if there are valid ones. Immutable and thread-safe.
 *
 * @param jobs the job in the state of each leaf; none when there is no such job
 * @param isBesideTombstone whether a caller, or retention, has deleted this incarnation of the job on another leaf
 */
public record Leaves(List<Job> jobs, boolean isBesideTombstone) {
    /** Orders leaves as CouchDB does: the leaf that readers see comes first. */
    static final Comparator<ObjectNode> AS_COUCHDB =
            Comparator.comparing(Leaves::rev, Rev.ORDER).reversed();

    public Leaves {
        jobs = List.copyOf(jobs);
    }

    public Leaves(List<Job> jobs) {
        this(jobs, false);
    }

    /**
     * Reads all leaves from all copies that answer. A read of the document alone is not sufficient: the copy that answers may
     * not know of a conflict that another copy has.
     */
    static Leaves read(CouchDatabase database, JobId id) {
        return of(database.leaves(id.docId()));
    }

    /**
     * Reads all leaves of several jobs.
     *
     * @param together whether all jobs are read at once, by {@link ShownLeaves}; PouchDB Server then returns only the leaf
     *     that readers see
     * @return the leaves of each job; a job that cannot be read now has no entry, a document that is not a valid job has no
     *     value
     */
    static Map<JobId, Optional<Leaves>> read(CouchDatabase database, List<JobId> ids, boolean together) {
        Map<JobId, Optional<Leaves>> all = new HashMap<>();
        if (together) {
            Map<String, List<ObjectNode>> found =
                    ShownLeaves.read(database, ids.stream().map(JobId::docId).toList());
            ids.forEach(id -> {
                List<ObjectNode> leaves = found.get(id.docId());
                if (leaves != null) {
                    all.put(id, ofJob(leaves));
                }
            });
        } else {
            ids.forEach(id -> all.put(id, ofJob(database.leaves(id.docId()))));
        }
        return all;
    }

    private static Optional<Leaves> ofJob(List<ObjectNode> leaves) {
        leaves.forEach(leaf -> leaf.remove("_revisions"));
        try {
            return Optional.of(of(leaves));
        } catch (MalformedDocumentException notAJob) {
            return Optional.empty();
        }
    }

    private static Leaves of(List<ObjectNode> leaves) {
        List<ObjectNode> live = leaves.stream()
                .filter(leaf -> !isDeleted(leaf))
                .sorted(AS_COUCHDB)
                .toList();
        List<Job> jobs =
                live.stream().flatMap(leaf -> JobDocument.job(leaf).stream()).toList();
        return new Leaves(
                jobs.isEmpty() && !live.isEmpty() ? List.of(Job.given(live.get(0))) : jobs,
                leaves.stream().filter(Leaves::isDeleted).anyMatch(gone -> live.stream()
                        .anyMatch(leaf -> Rivals.mayBeGone(leaf, gone))));
    }

    private static boolean isDeleted(ObjectNode leaf) {
        return leaf.path("_deleted").asBoolean();
    }

    private static String rev(ObjectNode leaf) {
        return leaf.path("_rev").asText();
    }

    /** {@return the leaf that readers see; empty when there is no such job} */
    public Optional<Job> winner() {
        return jobs.stream().findFirst();
    }

    /** {@return whether there are several leaves, or a leaf and a tombstone} */
    public boolean areInConflict() {
        return jobs.size() > 1 || isBesideTombstone;
    }

    /** {@return whether the job needs resolution: its leaves are in conflict, or readers see a withdrawn claim} */
    public boolean needResolution() {
        return areInConflict() || winner().filter(Job::isWithdrawn).isPresent();
    }

    /** Returns the leaf with which a claim owns the job; empty when the claim does not own the job any more. */
    public Optional<Job> ownedBy(String token) {
        return jobs.stream().filter(job -> job.isLockedBy(token)).max(Comparator.comparingLong(Fences::generation));
    }

    /** Returns the leaf of a claim, which may be withdrawn. */
    Optional<Job> leftBy(String token) {
        return first(
                job -> job.lock().filter(lock -> lock.token().equals(token)).isPresent());
    }

    public Optional<Job> first(Predicate<Job> which) {
        return jobs.stream().filter(which).findFirst();
    }

    /**
     * Returns whether a claim other than the one with this token may own the job, after the lease of this one is over.
     * Another claim may own it if its fence is greater, or if its fence is the same and this run has not ended.
     */
    public boolean rival(Job own, String token) {
        boolean hasEnded = own.phase() == JobPhase.FINISHED;
        return jobs.stream()
                .filter(job -> !job.rev().equals(own.rev()) && !job.isLockedBy(token))
                .anyMatch(job ->
                        Fences.effective(job) > own.fence() || (Fences.effective(job) == own.fence() && !hasEnded));
    }
}
