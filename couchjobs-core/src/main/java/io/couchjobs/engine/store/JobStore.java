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
 * Reads and removes the jobs of a database; {@link #writer} writes them. When a job that is read has conflicts, they are soon
 * resolved in the background. Thread-safe.
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
     * Creates the store without I/O.
     *
     * @param dataLimit the maximum size in bytes of JSON for data in the document; larger data is attached
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

    /** {@return the writer of jobs and related documents} */
    public JobWriter writer() {
        return writer;
    }

    /** {@return the site of this database, which determines the jobs that run here} */
    public Site site() {
        return writer.site();
    }

    public Environment environment() {
        return writer.environment();
    }

    /** {@return the listener to the operations of this process on the queue; never throws} */
    public QueueListener listener() {
        return listener;
    }

    /** {@return the workers using this store that cannot claim jobs at the moment} */
    public ClaimTroubles claimTroubles() {
        return troubles;
    }

    /** {@return the probe that determines whether a read shows the state of a majority of the copies} */
    public MajorityProbe majority() {
        return writer.majority();
    }

    /** {@return the component that determines the outcome of writes that no quorum confirmed} */
    public Confirmation confirmation() {
        return confirmation;
    }

    /** {@return the source of ends of jobs that a majority of the copies has confirmed} */
    public ConfirmedEnds ends() {
        return ends;
    }

    /** {@return the component that takes back claims that made no owner} */
    public ClaimRecovery claimRecovery() {
        return claimRecovery;
    }

    /**
     * Returns whether the server keeps several copies of each document. If so, only writes that a quorum confirmed count. The
     * first call asks the server.
     */
    public boolean isCluster() {
        return writer.copies().areSeveral();
    }

    /** {@return the result of {@link #isCluster} without I/O; true while it is not known} */
    public boolean mayBeCluster() {
        return writer.copies().mayBeSeveral();
    }

    /** Requests a check of a job for conflicts, which are soon resolved in the background. Cheap; never throws. */
    public void look(JobId id) {
        conflicts.look(id);
    }

    /** Registers a worker of this process, which resolves conflicts until the result is closed. */
    public Listening resolveWith(Owner owner) {
        return conflicts.join(owner);
    }

    /**
     * Reads a job. If it has conflicts, they are soon resolved in the background.
     *
     * @throws MalformedDocumentException if the document is not a valid job
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
     * Reads a job that the caller wants to change. If the job has conflicts, the result is the leaf that counts most. The
     * leaf that readers see may lose, and a change of it would be undone. The conflict is soon resolved in the background. A
     * withdrawn claim is resolved before this method returns, because it may be left from an earlier run, and a change of it
     * would be lost. If the claim cannot be resolved now, the result is {@linkplain Job#isWithdrawn withdrawn}, and the
     * caller must not change it.
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
     * Reads many jobs in one request. If some of them have conflicts, the conflicts are soon resolved in the background.
     *
     * @return the present jobs, without missing documents and documents that are not valid jobs
     * @throws io.couchjobs.couch.config.CouchJobsException if the server could not read one of the documents
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
     * Reads all leaves of a job that are not deleted. If there are conflicts, they are soon resolved in the background.
     *
     * @throws MalformedDocumentException if none of the leaves is a valid job
     */
    public Leaves leaves(JobId id) {
        Leaves leaves = Leaves.read(database, id);
        if (leaves.needResolution()) {
            look(id);
        }
        return leaves;
    }

    /**
     * {@return whether a majority of the copies does not have the job}
     *
     * @throws UnconfirmedException if no majority of the copies is reachable
     */
    public boolean isMissing(JobId id) {
        return confirmation.majority(id, () -> leaves(id).winner().isEmpty());
    }

    /**
     * {@return the leaves of several jobs} A job that the server cannot read now has no entry. A document that is not a job
     * has an entry without a value.
     */
    public Map<JobId, Optional<Leaves>> leaves(List<JobId> ids) {
        Map<JobId, Optional<Leaves>> all = Leaves.read(database, ids, isCluster());
        all.forEach((id, leaves) -> leaves.filter(Leaves::needResolution).ifPresent(torn -> look(id)));
        return all;
    }

    /** Reads the attached data of a job; other methods of this class do not read it. */
    public Job withData(Job job) {
        return data.read(job);
    }

    /** Reads the attached data of jobs while the stream is consumed, with one request for several jobs. */
    public Stream<Job> withData(Stream<Job> jobs) {
        return data.read(jobs);
    }

    /** Returns a new job in the form to be written, with large data as an attachment. */
    public Job attaching(Job created) {
        return AttachedData.attach(created, Optional.empty(), dataLimit);
    }

    /** Returns the job that a decision writes, with large data as an attachment if the data was changed. */
    public Optional<Job> attaching(Decision decision) {
        return decision.write().map(next -> AttachedData.attach(next, Optional.of(decision.before()), dataLimit));
    }

    /**
     * Reads all leaves of a job's document that are not deleted, even if the document is not a valid job. The leaf that
     * readers see comes last. When a caller deletes the leaves in this order, readers never see another leaf reappear.
     */
    public List<ObjectNode> documents(JobId id) {
        return live(database.leaves(id.docId()));
    }

    /** Returns the leaves that are not deleted, in the order of {@link #documents}. */
    public static List<ObjectNode> live(List<ObjectNode> leaves) {
        return leaves.stream()
                .filter(leaf -> !leaf.path("_deleted").asBoolean())
                .sorted(Leaves.AS_COUCHDB.reversed())
                .toList();
    }

    /** Deletes a job's document, if its revision is still the present one. */
    public WriteResult delete(ObjectNode document) {
        return writer.join(writer.send(JobTombstone.ofRemoved(document)));
    }

    /** Deletes a job, if its revision is still the present one. */
    public WriteResult delete(Job job) {
        return delete(job.toDocument());
    }

    /**
     * Deletes finished jobs, each on its final revision according to the index. The tombstones have the final status and
     * {@code "removedBy": "retention"}.
     *
     * <p>A job stays if no majority of the copies of its shard is reachable: an end that only a minority has may be undone.
     *
     * @return the ids of the deleted documents
     * @throws CouchJobsException if no job has a reachable majority of copies
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
