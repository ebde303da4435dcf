package io.couchjobs;

import io.couchjobs.admin.Alarms;
import io.couchjobs.admin.GarbageCollection;
import io.couchjobs.admin.History;
import io.couchjobs.admin.QueueSecurity;
import io.couchjobs.couch.ConflictStats;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.IndexBeingBuiltException;
import io.couchjobs.engine.Engine;
import io.couchjobs.engine.alarm.Facts;
import io.couchjobs.engine.alarm.QueueAlarms;
import io.couchjobs.engine.create.Releaser;
import io.couchjobs.engine.create.Restorer;
import io.couchjobs.engine.gc.GarbageCollector;
import io.couchjobs.engine.history.QueueHistory;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.registry.Registry;
import io.couchjobs.engine.store.NewDatabase;
import io.couchjobs.engine.store.SiteDocument;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.Listening;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.Site;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.trigger.Triggers;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Operations for administrators: setup, health and problems of a queue, its workers and orphaned jobs, conflicts, malformed
 * documents, garbage collection and permissions. Thread-safe. {@link JobQueue} lists the exceptions that all methods throw.
 */
public final class Operations {
    private final Engine engine;
    private final Types types;
    private final Triggers triggers;

    Operations(Engine engine, Types types, Triggers triggers) {
        this.engine = engine;
        this.types = types;
        this.triggers = triggers;
    }

    /**
     * Creates the database and its design documents if they are missing. Idempotent, even when called concurrently.
     *
     * @return a report of what was created
     */
    public InitReport init() {
        return init(true);
    }

    /** {@code wanted} is false when a queue is opened: then the caller has not explicitly asked for a new database. */
    InitReport init(boolean wanted) {
        boolean created = NewDatabase.createIfMissing(engine.database(), site(), wanted);
        return new InitReport(created, engine.designs().push(), site());
    }

    /** {@return the site that this queue works as, among several databases that replicate to each other} */
    public Site site() {
        return engine.parts().store().site();
    }

    /**
     * Names the database among several that replicate to each other. Fails when another process names the database at the same
     * time. The name itself is not replicated. The name applies to queues that are opened from now on; this queue keeps its {@link
     * #site}.
     *
     * @param site the name, and whether the database runs jobs without a site; {@link Site#UNNAMED} removes the name
     * @throws io.couchjobs.job.UnconfirmedException when no majority of the copies confirms the name
     */
    public void nameSite(Site site) {
        new SiteDocument(engine.database()).write(site);
    }

    /**
     * Creates a database and its design documents if they are missing, and names it. Idempotent, even when called concurrently.
     *
     * @param database the database
     * @param named the name of the database among databases that replicate to each other; null keeps the present name
     * @return a report of what was created
     */
    public static InitReport init(CouchDatabase database, @Nullable Site named) {
        boolean created = NewDatabase.createIfMissing(database, named == null ? Site.UNNAMED : named, true);
        List<String> pushed = new DesignDocuments(database).push();
        SiteDocument document = new SiteDocument(database);
        if (named != null) {
            document.write(named);
        }
        return new InitReport(created, pushed, named == null ? document.read() : named);
    }

    /**
     * The result of {@link #init}. Immutable and thread-safe.
     *
     * @param databaseCreated whether the database was created
     * @param designDocumentsPushed the names of the design documents that were stored
     * @param site the present name of the database
     */
    public record InitReport(boolean databaseCreated, List<String> designDocumentsPushed, Site site) {}

    /**
     * {@return the number of unfinished jobs without a site; only a database that is home, or has no name, runs such jobs}
     *
     * @param database the database
     */
    public static long unfinishedWithoutSite(CouchDatabase database) {
        try (DesignDocuments designs = new DesignDocuments(database)) {
            return new JobIndex(designs)
                    .counts().byTypeHere().values().stream()
                            .flatMap(byStatus -> byStatus.entrySet().stream())
                            .filter(count -> count.getKey().phase() != JobPhase.FINISHED)
                            .mapToLong(Map.Entry::getValue)
                            .sum();
        }
    }

    /** {@return the states of the design documents: those of this version, and others in the database} */
    public List<DesignState> designs() {
        return new DesignStates(engine.designs()).list();
    }

    /** {@return the names of the design documents that this call stored, because they were missing} */
    public List<String> pushDesigns() {
        return engine.designs().push();
    }

    /** {@return the index that is being built, and its progress; empty when none is} */
    public Optional<IndexBeingBuiltException.Progress> building() {
        return engine.designs().building();
    }

    /** {@return the {@code _id}s of the queue's documents with conflicts, jobs first, at most 1000} */
    public List<String> conflicts() {
        return engine.conflicts().open();
    }

    /**
     * Tries to resolve the conflict of a document now. Workers resolve conflicts by themselves.
     *
     * @param docId the document
     * @return whether nothing remains to be done
     */
    public boolean resolve(String docId) {
        return engine.conflicts().resolve(docId);
    }

    /** {@return what this process has done about conflicts since it started} */
    public ConflictStats conflictStats() {
        return engine.conflicts().stats();
    }

    /** {@return the ids of pending jobs whose {@code scheduledTime} was written in seconds; a limited number of them} */
    public List<String> timesInSeconds() {
        return engine.index().timesInSeconds();
    }

    /**
     * Checks whether this process can claim jobs. The database must exist, accept the credentials and have the design documents for
     * finding jobs. In addition, no worker of this queue may have failed in its last attempt to claim. Sends some requests, and may
     * take as long as one request may take.
     *
     * @return the problems found; no problem is thrown as an exception
     */
    public QueueHealth health() {
        Map<String, String> troubles = engine.parts().store().claimTroubles().byWorker();
        troubles.remove(engine.client()); // a caller of accept has seen the exception
        return QueueHealth.of(engine.database(), engine.designs(), troubles);
    }

    /** {@return the problems of types, schedules, held jobs, workers, triggers and sites; empty when there are none} */
    public List<Problem> problems() {
        List<WorkerInfo> workers = workers();
        List<Problem> ofTypes = Problem.of(types.counts(), types.settings(), workers, now());
        List<Problem> ofSchedules = new ScheduleProblems(engine.parts(), now()).list();
        return Stream.of(ofTypes, ofSchedules, heldProblems(), triggerProblems(workers), siteProblems(workers))
                .flatMap(List::stream)
                .toList();
    }

    /** {@return the problems of jobs that wait in vain for others, or for each other, by type; checks the first 100 held jobs} */
    public List<Problem> heldProblems() {
        return new HeldProblems(engine.index(), engine.parts().store()).list();
    }

    /**
     * Looks for problems of the triggers. Sends one request per source of each trigger, as {@link Triggers#status} does.
     *
     * @param workers the workers of this queue
     * @return malformed triggers, triggers that no process follows, unreadable sources, failed changes and large lags
     */
    public List<Problem> triggerProblems(List<WorkerInfo> workers) {
        return new TriggerProblems(triggers, engine.parts().store(), workers, now()).list();
    }

    /**
     * {@return one problem if all jobs here belong to sites and no worker here runs them: the database may have lost its name}
     *
     * @param workers not used: the registrations of all sites are read
     */
    public List<Problem> siteProblems(List<WorkerInfo> workers) {
        return new SiteProblems(engine.database(), engine.index(), now()).list();
    }

    private Instant now() {
        return engine.parts().clock().instant();
    }

    /** {@return the workers of this site by id: registered workers, and unregistered owners of jobs} */
    public List<WorkerInfo> workers() {
        return Registry.workers(engine.database(), engine.index());
    }

    /** {@return the number of jobs whose owner is not registered: it claims by hand, is written in another language, or is dead} */
    public long orphaned() {
        return workers().stream()
                .filter(worker -> worker.registration().isEmpty())
                .mapToLong(worker -> worker.jobs().size())
                .sum();
    }

    /**
     * Takes a job away from its owner. The owner is halted. The job waits again as if it had not been claimed. If a cancel was
     * requested, the job is cancelled: immediately on one node, by its next claim on a cluster.
     *
     * @param type its type
     * @param id its id
     * @return the job as stored
     * @throws NotFoundException when there is no such job
     * @throws JobRefusedException when the job has no owner
     */
    public Job release(String type, String id) {
        return releaser().release(new JobId(type, id));
    }

    /**
     * Takes a job away from an owner that is believed to be dead, as {@link #release} does. Does so only if the job has not changed
     * since it was seen, and a majority of the copies has no registration of that owner.
     *
     * @param seen the job as {@link #workers} showed it
     * @return the job as stored
     * @throws NotFoundException when the job does not exist any more
     * @throws JobRefusedException when the job has changed, its owner is registered, or no majority confirms that it is not
     */
    public Job releaseOrphan(WorkerInfo.OwnedJob seen) {
        return releaser().release(seen);
    }

    private Releaser releaser() {
        return new Releaser(engine.parts().store(), engine.creator());
    }

    /** {@return the first 500 documents that have the id of a job but cannot be one, each with the name of an invalid field} */
    public Map<String, String> malformed() {
        return engine.index().malformed();
    }

    /**
     * Restores jobs from a copy, such as an export, in one bulk write. The jobs keep their state, except that owned jobs wait again
     * as if they had been released. Existing jobs are not changed. Limits on pending jobs do not apply to restored jobs.
     *
     * @param copies the jobs
     * @return the result of each job, in the same order: added, unchanged (it exists) or rejected
     */
    public List<AddResult> restore(List<Job> copies) {
        return new Restorer(engine.parts().store(), engine.parts().clock()).restore(copies);
    }

    /**
     * Calls a listener for every change of any document of the queue, not only of jobs. All listeners of this process share one
     * feed. Most programs should use {@link JobQueue#watch} or {@link JobQueue#subscribe(String, String)} instead.
     *
     * <p>On a cluster, the listener is called for the end or removal of a job only after a majority of the copies has stored it.
     *
     * @param listener called by one thread at a time; must be quick, must not wait for anything, and must not change the documents
     * @return a handle that stops the listening when it is closed
     */
    @Experimental
    public Listening listen(DocumentChange.Listener listener) {
        return engine.watch().listen(DocumentChange.told(listener));
    }

    /**
     * Prepares a garbage collection, which deletes expired finished jobs, purges tombstones and compacts the database. Workers
     * delete expired finished jobs by themselves. An administrator should run the rest regularly, for example every night.
     *
     * @return a collection that has not run yet
     */
    public GarbageCollection gc() {
        return new GarbageCollector(engine.parts(), engine.designs());
    }

    /** {@return the history: what the workers did by minute and hour, and marks such as deploys} */
    public History history() {
        return new QueueHistory(engine.parts());
    }

    /**
     * {@return new alarms, not started yet; they report jobs that are not run, fail or pile up, and end with this queue at the
     * latest}
     */
    public Alarms alarms() {
        Facts facts = new Facts(types::countsHere, types::settings, this::workers, this::conflicts, history());
        return new QueueAlarms(engine.parts(), facts, engine.alarms());
    }

    /**
     * Returns the permissions in this queue's database: roles, and the guard by which the database enforces them.
     *
     * @return the permissions; this call sends no request
     */
    public QueueSecurity security() {
        return new QueueSecurity(engine.database());
    }

    /**
     * The state of a design document of couchjobs. Immutable and thread-safe.
     *
     * @param name the name of the design document, with its version
     * @param state the state of the design document
     */
    public record DesignState(String name, State state) {
        /** The states of a design document. */
        public enum State {
            /** The stored document is the one that this version of couchjobs requires. */
            CURRENT,
            /** This version requires the document, and it is not in the database. */
            MISSING,
            /** The document is in the database, but has been changed. */
            CHANGED,
            /** The document is in the database and belongs to another version. */
            OTHER
        }

        /** {@return whether workers of this version find the document they expect} */
        public boolean isFine() {
            return state == State.CURRENT || state == State.OTHER;
        }
    }
}
