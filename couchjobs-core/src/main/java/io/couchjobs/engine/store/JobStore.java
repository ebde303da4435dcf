package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.lifecycle.Resolution;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.AttachedData;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Listening;
import io.couchjobs.job.MalformedJobException;
import io.couchjobs.job.QueueListener;
import io.couchjobs.job.Site;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Jobs in and out of the database. Thread-safe.
 *
 * <p>A write is conditional: CouchDB compares the job's {@code _rev} with the stored one and stores nothing when they
 * differ. The server's answer is a value, not an exception: {@code Stored} (a quorum has it: only this makes a claimer the
 * owner), {@code Accepted} (stored somewhere, no quorum: not yours), {@code Conflict} (another writer was first) or
 * {@code Refused} (the database's own rules). All writes of a process are combined into bulk requests. When an answer
 * is lost, the documents are read again, and a write that is found in place counts as stored; on a cluster only as
 * accepted, because a reading there does not show the state that a quorum has.
 */
public final class JobStore implements AutoCloseable {
    private final CouchDatabase database;
    private final Site site;
    private final Copies copies;
    private final WriteCombiner combiner;
    private final DataReader data;
    private final int dataLimit;
    private final Withdrawals withdrawals;
    private final MajorityProbe majority;
    private final UnconfirmedWrites unconfirmed;
    private final ClaimTroubles troubles = new ClaimTroubles();
    private final QueueListener listener;
    private final OwnWrites ownWrites;
    private final ConfirmedEnds ends;
    private final Set<String> claimsUnderWay = ConcurrentHashMap.newKeySet();
    private volatile Conflicts conflicts = Conflicts.IGNORED;

    /**
     * Opens the jobs of a database without a name, with the usual limit of data in documents. No I/O.
     *
     * @param database the database
     */
    public JobStore(CouchDatabase database) {
        this(database, Site.UNNAMED, List.of(), AttachedData.DEFAULT_LIMIT, BulkListener.UNHEARD);
    }

    /**
     * Opens the jobs of a database. No I/O.
     *
     * @param database the database
     * @param site which of several databases it is
     * @param listeners are told of the actions of this process
     * @param dataLimit data of up to so many bytes of JSON is written into the document
     * @param requests is told of each bulk request
     */
    public JobStore(
            CouchDatabase database,
            Site site,
            List<? extends QueueListener> listeners,
            int dataLimit,
            BulkListener requests) {
        this.database = database;
        this.data = new DataReader(database);
        this.dataLimit = dataLimit;
        this.listener = listeners.isEmpty() ? QueueListener.NONE : new QueueListeners(listeners);
        this.site = site;
        this.copies = new Copies(database);
        LostAnswers lostAnswers = new LostAnswers(database, copies);
        this.combiner = new WriteCombiner(database, lostAnswers, requests);
        this.unconfirmed = new UnconfirmedWrites(database, lostAnswers, this::look);
        this.withdrawals = new Withdrawals(this, copies);
        this.ends = new ConfirmedEnds(this);
        this.ownWrites = new OwnWrites(ends::answered);
        this.majority = new MajorityProbe(database, copies);
    }

    /** {@return the database} */
    public CouchDatabase database() {
        return database;
    }

    /** {@return which of several databases this is, and so whose jobs are run here} */
    public Site site() {
        return site;
    }

    /** {@return the listener to all that this process does with the queue; never throws} */
    public QueueListener listener() {
        return listener;
    }

    /** {@return which of the workers that use this store cannot claim jobs at the moment} */
    public ClaimTroubles claimTroubles() {
        return troubles;
    }

    /** Sets the resolver of jobs with conflicts. */
    public void conflicts(Conflicts resolver) {
        conflicts = resolver;
    }

    /**
     * A job may have conflicts: they are resolved soon, in the background. Cheap; never throws.
     *
     * @param id the job
     */
    public void look(JobId id) {
        conflicts.look(id);
    }

    /** {@return the recent writes of this store} */
    public OwnWrites ownWrites() {
        return ownWrites;
    }

    /**
     * Whether this process has sent a claim, and does not know yet whether it makes an owner: then it must not count as
     * forgotten.
     *
     * @param token the claim's token
     * @return true until that is known, or the claim is handed over to be withdrawn
     */
    public boolean isClaimUnderWay(String token) {
        return claimsUnderWay.contains(token);
    }

    /** {@return the tokens of claims that were sent and may yet make owners} */
    public Set<String> claimsUnderWay() {
        return claimsUnderWay;
    }

    public Environment environment() {
        return ServerAccess.environment(database.server());
    }

    /**
     * A worker begins in this process, and looks after conflicts until it ends.
     *
     * @param owner the worker
     * @return ends that when closed
     */
    public Listening resolveWith(Owner owner) {
        return conflicts.join(owner);
    }

    /**
     * Whether the nodes of a cluster keep several copies of each document: then only writes that a quorum confirmed
     * count. Asked once, at the first call.
     *
     * @return whether there are several copies
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be asked
     */
    public boolean isCluster() {
        return copies.areSeveral();
    }

    /** {@return whether the database was recreated since this process first asked whether it is on a cluster} */
    boolean isMadeAnew() {
        return copies.isMadeAnew();
    }

    /** {@return whether readers see a write that no quorum confirmed, after its conflicts were resolved} */
    public boolean isInPlace(Job written) {
        return unconfirmed.settled(written.toDocument());
    }

    /** {@return whether the copies that answer have that leaf of a job, no other live one, and no tombstone that counts more} */
    boolean isAllThereIs(JobId id, String rev) {
        // The copy that answers for the document as readers see it may not know of a conflict that another copy has.
        List<ObjectNode> leaves = database.leavesWithHistories(id.docId());
        long live = leaves.stream()
                .filter(leaf -> !leaf.path("_deleted").asBoolean())
                .count();
        return live == 1 && Resolution.best(leaves).flatMap(Job::rev).equals(Optional.of(rev));
    }

    /** Lets a conflict of a job be resolved, if there is one, and waits for that for a few seconds at most. */
    void settle(JobId id) {
        unconfirmed.settle(id);
    }

    /** {@return the probe that tells whether a reading is that of a majority of the copies} */
    public MajorityProbe majority() {
        return majority;
    }

    /**
     * Reads the state that a majority of the copies has. With one copy it simply reads.
     *
     * @param <T> the type of the result
     * @param docIds the documents
     * @param reading reads them, by requests that ask for each document by its id; it may be called more than once
     * @return the result of the reading; empty when no majority of their copies was in reach all the time
     * @throws io.couchjobs.couch.config.CouchException when the reading fails
     */
    public <T> Optional<T> readByMajority(Collection<String> docIds, Supplier<T> reading) {
        return majority.read(docIds, reading);
    }

    /** {@return the source of ends of jobs that a majority of the copies has} */
    public ConfirmedEnds ends() {
        return ends;
    }

    /**
     * Whether a node could show a revision that no majority has; false when this process knows that it is confirmed.
     */
    public boolean isDoubtful(String docId, String rev) {
        return copies.mayBeSeveral() && !ownWrites.contain(docId, rev);
    }

    /** {@return the withdrawals of claims that made no owner} */
    public Withdrawals withdrawals() {
        return withdrawals;
    }

    /**
     * Reads a job. When it has conflicts they are resolved soon, in the background.
     *
     * @param id the job
     * @return the job as it is now, or empty when there is none
     * @throws MalformedJobException when the document cannot be a job
     */
    public Optional<Job> read(JobId id) {
        Optional<ObjectNode> document = database.getWithConflicts(id.docId());
        if (document.filter(winner -> winner.remove("_conflicts") != null).isPresent()) {
            look(id);
        }
        return parsed(document);
    }

    private Optional<Job> parsed(Optional<ObjectNode> document) {
        Optional<Job> job = document.map(Job::parse).map(data::lazily);
        job.filter(Job::isWithdrawn).ifPresent(withdrawn -> look(withdrawn.id()));
        return job;
    }

    /**
     * Reads a job that is to be changed. With conflicts, the result is the leaf that counts most: the one that readers
     * see may lose, and a change of it would be undone. The conflict is resolved soon, in the background. A claim that
     * was withdrawn is resolved first: it may be left over from a run before the last, and a change of it would be
     * lost.
     */
    public Optional<Job> readToChange(JobId id) {
        Optional<ObjectNode> document = database.getWithConflicts(id.docId());
        if (document.filter(winner -> winner.remove("_conflicts") != null).isEmpty()) {
            Optional<Job> only = parsed(document);
            if (only.filter(Job::isWithdrawn).isEmpty()) {
                return only;
            }
            settle(id);
            return read(id);
        }
        Optional<Job> best = Resolution.best(database.leavesWithHistories(id.docId()));
        if (best.isPresent()) {
            look(id);
            return best.map(data::lazily);
        }
        settle(id);
        return read(id);
    }

    /**
     * Reads many jobs in one request. When some have conflicts these are resolved soon, in the background.
     *
     * @param ids the jobs
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
            jobOf(row).map(data::lazily).ifPresent(job -> {
                jobs.add(job);
                if (hasConflicts || job.isWithdrawn()) {
                    look(job.id());
                }
            });
        }
        return jobs;
    }

    /** {@return the job of a row with a document; empty when the document cannot be a job} */
    public static Optional<Job> jobOf(ViewResult.Row row) {
        return Optional.ofNullable(row.doc()).flatMap(JobStore::jobOf);
    }

    /** {@return the job; empty when the document cannot be a job} */
    public static Optional<Job> jobOf(ObjectNode document) {
        try {
            return Optional.of(Job.parse(document));
        } catch (MalformedJobException notAJob) {
            return Optional.empty();
        }
    }

    /**
     * Reads all leaves of a job that are not deleted: one request, and a second one only where there are conflicts, which are
     * then resolved soon, in the background.
     *
     * @param id the job
     * @return the leaves; none when there is no such job
     * @throws MalformedJobException when none of them can be a job
     */
    public Leaves leaves(JobId id) {
        Leaves leaves = Leaves.read(database, id);
        if (leaves.areInConflict() || leaves.winner().filter(Job::isWithdrawn).isPresent()) {
            look(id);
        }
        return leaves.map(data::lazily);
    }

    /**
     * A job that was read without its data, for a caller that may ask for the data.
     *
     * @param job the job
     * @return the job; attached data is read on demand
     */
    public Job withData(Job job) {
        return data.lazily(job);
    }

    /** The same for jobs that are handed out together. */
    public List<Job> withData(List<Job> jobs) {
        return data.lazily(jobs);
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
     * Writes a job on the revision it carries.
     *
     * @param job the job; without a revision it must not exist yet
     * @return the server's answer
     */
    public WriteResult write(Job job) {
        return join(writeSoon(job));
    }

    /** Starts to write a job as {@link #write} does. */
    public CompletableFuture<WriteResult> writeSoon(Job job) {
        return send(job.toDocument());
    }

    /**
     * Writes a document that is no job with the next bulk request.
     *
     * @param document the document, with its {@code _id}
     * @return the server's answer; completed exceptionally when it cannot be reached
     */
    public CompletableFuture<WriteResult> writeSoon(ObjectNode document) {
        return combiner.write(document);
    }

    /**
     * Writes many jobs, each on the revision it carries and independent of the others.
     *
     * @param jobs the jobs
     * @return in the same order, the server's answer for each
     */
    public List<WriteResult> writeAll(List<Job> jobs) {
        List<ObjectNode> documents = jobs.stream().map(Job::toDocument).toList();
        List<CompletableFuture<WriteResult>> writes = combiner.writeAll(documents);
        for (int i = 0; i < documents.size(); i++) {
            ownWrites.note(documents.get(i), writes.get(i));
        }
        return writes.stream().map(this::join).toList();
    }

    /**
     * Reads a job's document, even one that cannot be a job: all its leaves that are not deleted, last the one that readers see.
     * Deleting them in this order leaves no leaf that reappears.
     *
     * @param id the job
     * @return the leaves; none when there is no document
     */
    public List<ObjectNode> documents(JobId id) {
        return database.leaves(id.docId()).stream()
                .filter(leaf -> !leaf.path("_deleted").asBoolean())
                .sorted(Leaves.AS_COUCHDB.reversed())
                .toList();
    }

    /**
     * Deletes a job's document on the revision that it carries.
     *
     * @param document the document as it was read
     * @return the server's answer
     */
    public WriteResult delete(ObjectNode document) {
        return join(send(JobTombstone.ofRemoved(document)));
    }

    /**
     * Deletes a job on the revision that it carries.
     *
     * @param job the job as it was read
     * @return the server's answer
     */
    public WriteResult delete(Job job) {
        return delete(job.toDocument());
    }

    /**
     * Deletes finished jobs, each on its final revision according to the index. Their tombstones say so: with a status,
     * and {@code "removedBy": "retention"}.
     *
     * @param rows the jobs
     * @return in the same order, the server's answer for each
     * @throws CouchJobsException when no majority of a cluster's copies is in reach: an end that only a minority has may be undone
     */
    public List<WriteResult> retire(List<FinishedJob> rows) {
        requireMajority(rows.stream().map(FinishedJob::docId).toList());
        List<CompletableFuture<WriteResult>> writes = new ArrayList<>();
        for (FinishedJob row : rows) {
            writes.add(send(JobTombstone.ofRetired(row)));
        }
        return writes.stream().map(this::join).toList();
    }

    private void requireMajority(List<String> docIds) {
        if (majority.read(docIds, () -> true).isEmpty()) {
            throw new CouchJobsException(
                    "no majority of the copies is in reach, so no finished job is deleted; this is tried again later");
        }
    }

    /**
     * The final status of a job that {@link #retire} deleted.
     *
     * @param tombstone the deleted document
     * @return its status; empty when something else deleted it
     */
    public static Optional<JobStatus> retiredStatus(ObjectNode tombstone) {
        return JobTombstone.retiredStatus(tombstone);
    }

    @Override
    public void close() {
        ends.close();
        withdrawals.close();
        combiner.close();
    }

    private CompletableFuture<WriteResult> send(ObjectNode document) {
        CompletableFuture<WriteResult> write = combiner.write(document);
        ownWrites.note(document, write);
        return write;
    }

    public WriteResult join(CompletableFuture<WriteResult> write) {
        try {
            return environment().join(write);
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException trouble) {
                throw trouble;
            }
            throw e;
        }
    }
}
