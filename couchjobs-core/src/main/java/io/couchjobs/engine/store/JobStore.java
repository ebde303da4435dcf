package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.lifecycle.Resolution;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.AttachedData;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.QueueListener;
import io.couchjobs.job.Site;
import io.couchjobs.job.UnconfirmedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The jobs of a database: what is read here has its conflicts resolved soon, in the background. {@link #writer} writes
 * jobs; removals are here. Thread-safe.
 */
public final class JobStore implements AutoCloseable {
    private final CouchDatabase database;
    private final JobWriter writer;
    private final Conflicts conflicts;
    private final QueueListener listener;
    private final int dataLimit;
    private final DataReader data;
    private final ClaimRecovery claimRecovery;
    private final Confirmation confirmation;
    private final ConfirmedEnds ends;
    private final ClaimTroubles troubles = new ClaimTroubles();

    /**
     * Opens the jobs of a database. No I/O.
     *
     * @param dataLimit data of up to so many bytes of JSON is written into the document
     */
    public JobStore(JobWriter writer, Conflicts conflicts, List<? extends QueueListener> listeners, int dataLimit) {
        this.database = writer.database();
        this.writer = writer;
        this.conflicts = conflicts;
        this.listener = listeners.isEmpty() ? QueueListener.NONE : new QueueListeners(listeners);
        this.dataLimit = dataLimit;
        this.data = new DataReader(database);
        this.claimRecovery = new ClaimRecovery(writer, conflicts);
        this.confirmation = new Confirmation(writer, conflicts);
        this.ends = new ConfirmedEnds(writer, conflicts);
    }

    public CouchDatabase database() {
        return database;
    }

    /** {@return what writes the jobs, and all else that goes with them} */
    public JobWriter writer() {
        return writer;
    }

    /** {@return which of several databases this is, and so whose jobs are run here} */
    public Site site() {
        return writer.site();
    }

    public Environment environment() {
        return writer.environment();
    }

    /** {@return the listener to all that this process does with the queue; never throws} */
    public QueueListener listener() {
        return listener;
    }

    /** {@return which of the workers that use this store cannot claim jobs at the moment} */
    public ClaimTroubles claimTroubles() {
        return troubles;
    }

    /** {@return the probe that tells whether a reading is that of a majority of the copies} */
    public MajorityProbe majority() {
        return writer.majority();
    }

    /** {@return what finds out the fate of writes that no quorum confirmed} */
    public Confirmation confirmation() {
        return confirmation;
    }

    /** {@return the source of ends of jobs that a majority of the copies has} */
    public ConfirmedEnds ends() {
        return ends;
    }

    /** {@return what takes back claims that made no owner} */
    public ClaimRecovery claimRecovery() {
        return claimRecovery;
    }

    /**
     * Whether the nodes of a cluster keep several copies of each document: then only writes that a quorum confirmed
     * count. Asked once, at the first call.
     */
    public boolean isCluster() {
        return writer.copies().areSeveral();
    }

    /** {@return as {@link #isCluster}, but without I/O; true while the database was not asked} */
    public boolean mayBeCluster() {
        return writer.copies().mayBeSeveral();
    }

    /** A job may have conflicts: they are resolved soon, in the background. Cheap; never throws. */
    public void look(JobId id) {
        conflicts.look(id);
    }

    /** A worker begins in this process, and looks after conflicts until it ends. */
    public Listening resolveWith(Owner owner) {
        return conflicts.join(owner);
    }

    /**
     * Reads a job. When it has conflicts they are resolved soon, in the background.
     *
     * @throws MalformedDocumentException when the document cannot be a job
     */
    public Optional<Job> read(JobId id) {
        Optional<ObjectNode> document = database.getWithConflicts(id.docId());
        if (document.filter(winner -> winner.remove("_conflicts") != null).isPresent()) {
            look(id);
        }
        return parsed(document);
    }

    private Optional<Job> parsed(Optional<ObjectNode> document) {
        Optional<Job> job = document.map(Job::given);
        job.filter(Job::isWithdrawn).ifPresent(withdrawn -> look(withdrawn.id()));
        return job;
    }

    /**
     * Reads a job that is to be changed. With conflicts, the result is the leaf that counts most: the one that readers
     * see may lose, and a change of it would be undone. The conflict is resolved soon, in the background. A claim that
     * was withdrawn is resolved first: it may be left over from a run before the last, and a change of it would be
     * lost. The job that is returned is {@linkplain Job#isWithdrawn withdrawn} only when the claim cannot be resolved now:
     * then the caller must not change it.
     */
    public Optional<Job> readToChange(JobId id) {
        Optional<ObjectNode> document = database.getWithConflicts(id.docId());
        boolean hasConflicts =
                document.filter(winner -> winner.remove("_conflicts") != null).isPresent();
        Optional<Job> best =
                hasConflicts ? Resolution.best(database.leavesWithHistories(id.docId())) : parsed(document);
        if (best.map(Job::isWithdrawn).orElse(hasConflicts)) {
            confirmation.settle(id);
            return read(id);
        }
        if (hasConflicts) {
            look(id);
        }
        return best;
    }

    /**
     * Reads many jobs in one request. When some have conflicts these are resolved soon, in the background.
     *
     * @return the jobs as they are now, without those that are gone or cannot be a job
     * @throws io.couchjobs.couch.config.CouchJobsException when the server could not read one
     */
    public List<Job> readAll(List<JobId> ids) {
        if (ids.isEmpty()) {
            return List.of();
        }
        List<String> keys = ids.stream().map(JobId::docId).toList();
        List<Job> jobs = new ArrayList<>();
        for (ViewResult.Row row : database.view(
                        ViewQuery.allDocs().keys(keys).includeDocs(true).conflicts(true))
                .documentRows()) {
            boolean hasConflicts = row.doc() != null && row.doc().remove("_conflicts") != null;
            JobDocument.job(row).ifPresent(job -> {
                jobs.add(job);
                if (hasConflicts || job.isWithdrawn()) {
                    look(job.id());
                }
            });
        }
        return jobs;
    }

    /**
     * Reads all leaves of a job that are not deleted: one request, and a second one only where there are conflicts, which are
     * then resolved soon, in the background.
     *
     * @throws MalformedDocumentException when none of them can be a job
     */
    public Leaves leaves(JobId id) {
        Leaves leaves = Leaves.read(database, id);
        if (leaves.needResolution()) {
            look(id);
        }
        return leaves;
    }

    /**
     * {@return whether a majority of the copies has no such job}
     *
     * @throws UnconfirmedException when no majority is in reach
     */
    public boolean isMissing(JobId id) {
        return confirmation.majority(id, () -> leaves(id).winner().isEmpty());
    }

    /** {@return the leaves of several jobs; one that the server cannot read now is missing, what is no job has no value} */
    public Map<JobId, Optional<Leaves>> leaves(List<JobId> ids) {
        Map<JobId, Optional<Leaves>> all = Leaves.read(database, ids, isCluster());
        all.forEach((id, leaves) -> leaves.filter(Leaves::needResolution).ifPresent(torn -> look(id)));
        return all;
    }

    /** The job with its attached data, which nothing else here reads. */
    public Job withData(Job job) {
        return data.read(job);
    }

    /** The jobs with their attached data, of which several are read by one request while the stream is consumed. */
    public Stream<Job> withData(Stream<Job> jobs) {
        return data.read(jobs);
    }

    /** A new job as it is to be written: with large data attached. */
    public Job attaching(Job created) {
        return AttachedData.attach(created, Optional.empty(), dataLimit);
    }

    /** The job that a decision writes: with large data attached, if it was changed. */
    public Optional<Job> attaching(Decision decision) {
        return decision.write().map(next -> AttachedData.attach(next, Optional.of(decision.before()), dataLimit));
    }

    /**
     * Reads a job's document, even one that cannot be a job: all its leaves that are not deleted, last the one that readers see.
     * Deleting them in this order leaves no leaf that reappears.
     */
    public List<ObjectNode> documents(JobId id) {
        return live(database.leaves(id.docId()));
    }

    /** Those of some leaves that are not deleted, in that order. */
    public static List<ObjectNode> live(List<ObjectNode> leaves) {
        return leaves.stream()
                .filter(leaf -> !leaf.path("_deleted").asBoolean())
                .sorted(Leaves.AS_COUCHDB.reversed())
                .toList();
    }

    /** Deletes a job's document on the revision that it carries. */
    public WriteResult delete(ObjectNode document) {
        return writer.join(writer.send(JobTombstone.ofRemoved(document)));
    }

    /** Deletes a job on the revision that it carries. */
    public WriteResult delete(Job job) {
        return delete(job.toDocument());
    }

    /**
     * Deletes finished jobs, each on its final revision according to the index. Their tombstones say so: with a status,
     * and {@code "removedBy": "retention"}.
     *
     * <p>A job whose part of a cluster has no majority in reach stays: an end that only a minority has may be undone.
     *
     * @return the ids of the documents that were deleted
     * @throws CouchJobsException when no job has a majority of its copies in reach
     */
    public Set<String> retire(List<FinishedJob> rows) {
        Set<String> sure = withMajority(rows.stream().map(FinishedJob::docId).toList());
        if (sure.isEmpty() && !rows.isEmpty()) {
            throw new CouchJobsException(
                    "no majority of the copies is in reach, so no finished job is deleted; this is tried again later");
        }
        List<CompletableFuture<WriteResult>> writes = rows.stream()
                .filter(row -> sure.contains(row.docId()))
                .map(row -> writer.send(JobTombstone.ofRetired(row)))
                .toList();
        return writes.stream()
                .map(writer::join)
                .filter(WriteResult.Stored.class::isInstance)
                .map(WriteResult::id)
                .collect(Collectors.toSet());
    }

    private Set<String> withMajority(List<String> docIds) {
        return majority().byPart(docIds).stream()
                .filter(part -> majority().read(part, () -> true).isPresent())
                .flatMap(List::stream)
                .collect(Collectors.toSet());
    }

    @Override
    public void close() {
        ends.close();
        claimRecovery.close();
        writer.close();
    }
}
