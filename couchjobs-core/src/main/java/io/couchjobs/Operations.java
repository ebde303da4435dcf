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
 * The verbs of an operator: setting up a database, its health, workers and jobs of dead ones, conflicts, documents that are wrong
 * or in an old form, garbage and permissions. Thread-safe. {@link JobQueue} says what all methods throw.
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
     * Creates the database and its design documents where they are missing. Idempotent; any number of processes may do it at
     * the same time.
     *
     * @return what was missing
     */
    public InitReport init() {
        return init(true);
    }

    /** When a queue is opened nobody may have asked for a new database. */
    InitReport init(boolean wanted) {
        boolean created = NewDatabase.createIfMissing(engine.database(), site(), wanted);
        return new InitReport(created, engine.designs().push(), site());
    }

    /** {@return which of several databases that replicate to each other this queue works as} */
    public Site site() {
        return engine.parts().store().site();
    }

    /**
     * Names the database, among several that replicate to each other; fails when another process names it at the same time. The name
     * itself is not replicated. Holds for queues that are opened from now on; this one keeps to {@link #site}.
     *
     * @param site its name, and whether it takes the jobs without a site; {@link Site#UNNAMED} takes the name away
     * @throws io.couchjobs.job.UnconfirmedException when no majority of the copies confirms the name
     */
    public void nameSite(Site site) {
        new SiteDocument(engine.database()).write(site);
    }

    /**
     * Creates a database and its design documents where they are missing, and names it. Idempotent; any number of processes may
     * do it at the same time.
     *
     * @param database the database
     * @param named the name that it gets among databases that replicate to each other; null to leave it as it is
     * @return what was missing
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
     * @param site the name of the database now
     */
    public record InitReport(boolean databaseCreated, List<String> designDocumentsPushed, Site site) {}

    /**
     * {@return how many unfinished jobs carry no site: only a database that is home, or has no name, runs them}
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

    /** {@return how the design documents stand: those of this version, and others that are there} */
    public List<DesignState> designs() {
        return new DesignStates(engine.designs()).list();
    }

    /** {@return the names of the design documents of this version that were missing, and are stored now} */
    public List<String> pushDesigns() {
        return engine.designs().push();
    }

    /** {@return which index is being built, and how far it is; empty when none is} */
    public Optional<IndexBeingBuiltException.Progress> building() {
        return engine.designs().building();
    }

    /** {@return the {@code _id}s of the queue's documents with conflicts, jobs before others, at most 1000} */
    public List<String> conflicts() {
        return engine.conflicts().open();
    }

    /**
     * Resolves the conflict of a document now, as far as can be known. Workers do so by themselves.
     *
     * @param docId the document
     * @return whether nothing is left to do
     */
    public boolean resolve(String docId) {
        return engine.conflicts().resolve(docId);
    }

    /** {@return what this process did about conflicts since it started} */
    public ConflictStats conflictStats() {
        return engine.conflicts().stats();
    }

    /** {@return the ids of pending jobs whose {@code scheduledTime} somebody wrote in seconds; a limited number of them} */
    public List<String> timesInSeconds() {
        return engine.index().timesInSeconds();
    }

    /**
     * Asks whether this process can claim jobs: the database is there, accepts the credentials and has the design documents by which
     * jobs are found, and no worker of this queue failed when it last tried. Takes some requests, and as long as a request may take.
     *
     * @return the problems that it found; none of them is thrown
     */
    public QueueHealth health() {
        Map<String, String> troubles = engine.parts().store().claimTroubles().byWorker();
        troubles.remove(engine.client()); // a caller that accepts by hand has seen the exception
        return QueueHealth.of(engine.database(), engine.designs(), troubles);
    }

    /** {@return the problems of types, schedules, held jobs, workers, triggers and sites; empty for none} */
    public List<Problem> problems() {
        List<WorkerInfo> workers = workers();
        List<Problem> ofTypes = Problem.of(types.counts(), types.settings(), workers, now());
        List<Problem> ofSchedules = new ScheduleProblems(engine.parts(), now()).list();
        return Stream.of(ofTypes, ofSchedules, heldProblems(), triggerProblems(workers), siteProblems(workers))
                .flatMap(List::stream)
                .toList();
    }

    /** {@return for each type whether jobs wait in vain for other jobs, or for each other; the first 100 held jobs are looked at} */
    public List<Problem> heldProblems() {
        return new HeldProblems(engine.index(), engine.parts().store()).list();
    }

    /**
     * Looks for problems of the triggers that people should know of. One request per source of each, as {@link Triggers#status}.
     *
     * @param workers the workers of this queue
     * @return malformed triggers, those that nobody follows, sources that cannot be read, changes that failed, and large lags
     */
    public List<Problem> triggerProblems(List<WorkerInfo> workers) {
        return new TriggerProblems(triggers, engine.parts().store(), workers, now()).list();
    }

    /**
     * {@return one if this database has jobs of sites only, and nobody runs them here: it may have lost its {@linkplain #nameSite name}}
     *
     * @param workers not used: the registrations of all sites are read
     */
    public List<Problem> siteProblems(List<WorkerInfo> workers) {
        return new SiteProblems(engine.database(), engine.index(), now()).list();
    }

    private Instant now() {
        return engine.parts().clock().instant();
    }

    /** {@return the workers here, by id: those of this site that are registered, and owners of jobs that are not} */
    public List<WorkerInfo> workers() {
        return Registry.workers(engine.database(), engine.index());
    }

    /** {@return how many jobs have an owner that is not registered: one that claims by hand, is written in another language, or is dead} */
    public long orphaned() {
        return workers().stream()
                .filter(worker -> worker.registration().isEmpty())
                .mapToLong(worker -> worker.jobs().size())
                .sum();
    }

    /**
     * Takes a job away from its owner, which is halted. The job waits again as if it had not been claimed. If a cancel was
     * requested, the job is cancelled: at once on one node, by its next claim on a cluster.
     *
     * @param type its type
     * @param id its id
     * @return the job as stored
     * @throws NotFoundException when there is no such job
     * @throws JobRefusedException when nobody owns it
     */
    public Job release(String type, String id) {
        return releaser().release(new JobId(type, id));
    }

    /**
     * Takes a job away from an owner that is believed to be dead, as {@link #release} does, but only if nothing has happened to
     * it since that was seen, and a majority of the copies has no registration of that owner.
     *
     * @param seen the job as {@link #workers} showed it
     * @return the job as stored
     * @throws NotFoundException when there is no such job any more
     * @throws JobRefusedException when it has changed, its owner is registered, or no majority says whether it is
     */
    public Job releaseOrphan(WorkerInfo.OwnedJob seen) {
        return releaser().release(seen);
    }

    private Releaser releaser() {
        return new Releaser(engine.parts().store(), engine.creator());
    }

    /** {@return the first 500 documents that have the id of a job but cannot be one, each with the name of a wrong field} */
    public Map<String, String> malformed() {
        return engine.index().malformed();
    }

    /**
     * Puts jobs back from a copy, such as an export, in one bulk write. They get the state that they had, except that owned jobs
     * wait again as if they had been released. Jobs that exist stay as they are. Limits on how many may be pending do not hold for
     * jobs that are put back.
     *
     * @param copies the jobs
     * @return in the same order, what happened to each: added, unchanged (it exists) or rejected
     */
    public List<AddResult> restore(List<Job> copies) {
        return new Restorer(engine.parts().store(), engine.parts().clock()).restore(copies);
    }

    /**
     * Hears of every change of any document of the queue, not only of jobs. All listeners of this process share one feed. Most
     * programs want {@link JobQueue#watch} or {@link JobQueue#subscribe(String, String)}.
     *
     * <p>On a cluster the end or the removal of a job is told when a majority of the copies has it.
     *
     * @param listener called by one thread at a time: must be quick, never waits for anything, and leaves the documents as they
     *     are
     * @return ends the listening when closed
     */
    @Experimental
    public Listening listen(DocumentChange.Listener listener) {
        return engine.watch().listen(DocumentChange.told(listener));
    }

    /**
     * Prepares a garbage collection: deletes what retention lets go, purges tombstones, compacts. Workers delete what
     * retention lets go by themselves; the rest is for an administrator, every night or so.
     *
     * @return a collection, to be run
     */
    public GarbageCollection gc() {
        return new GarbageCollector(engine.parts(), engine.designs());
    }

    /** {@return what the workers did, by minute and hour, and marks such as deploys} */
    public History history() {
        return new QueueHistory(engine.parts());
    }

    /** {@return alarms, to be started: they tell when jobs are not run, fail or pile up, and end with this queue at the latest} */
    public Alarms alarms() {
        Facts facts = new Facts(types::countsHere, types::settings, this::workers, this::conflicts, history());
        return new QueueAlarms(engine.parts(), facts, engine.alarms());
    }

    /**
     * The permissions in this queue's database: roles, and the guard by which the database itself refuses the rest.
     *
     * @return a view of it; nothing is asked or changed yet
     */
    public QueueSecurity security() {
        return new QueueSecurity(engine.database());
    }

    /**
     * How a design document of couchjobs stands. Immutable and thread-safe.
     *
     * @param name its name, with its version
     * @param state what is the matter with it
     */
    public record DesignState(String name, State state) {
        /** The states of a design document. */
        public enum State {
            /** It is in the database, as this version of couchjobs wants it. */
            CURRENT,
            /** This version wants it, and it is not in the database. */
            MISSING,
            /** It is in the database, but somebody changed it. */
            CHANGED,
            /** It is in the database, and belongs to another version. */
            OTHER
        }

        /** {@return whether workers of this version find what they expect} */
        public boolean isFine() {
            return state == State.CURRENT || state == State.OTHER;
        }
    }
}
