package io.couchjobs.engine.gc;

import io.couchjobs.admin.GarbageCollection;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.DatabaseInfo;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.history.HistoryKeeper;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.registry.WorkerRegistration;
import io.couchjobs.engine.settings.QueueParts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Collects the garbage of one database, as configured. */
public final class GarbageCollector implements GarbageCollection {
    /** How long a worker may be away and still continue its turns between groups where it was. */
    private static final Duration TURNS = Duration.ofDays(30);

    /**
     * Statuses of requests that are not allowed, or that this server does not support. PouchDB Server knows no purge, and
     * answers 400 to compacting an index.
     */
    private static final Set<Integer> NOT_POSSIBLE = Set.of(400, 401, 403, 404, 405, 501);

    private final QueueParts parts;
    private final CouchDatabase database;
    private final DesignDocuments designs;
    private final Retirement retirement;
    private final Registrations registrations;
    private final Compaction compaction;
    private final Marks marks;
    private Duration keepFinished = Retirement.LAG;
    private Duration keepTombstones;
    private boolean mayPurgeAtOnce;
    private boolean dryRun;
    private Consumer<GarbageCollection.Step> listener = progress -> {};

    private final Map<String, Long> jobsDeleted = new TreeMap<>();
    private final List<String> workersRemoved = new ArrayList<>();
    private final List<String> designsRemoved = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private long purged;
    private long kept;

    /** Creates a collector with the default settings. Does no I/O. */
    public GarbageCollector(QueueParts parts, DesignDocuments designs) {
        this.parts = parts;
        this.designs = designs;
        this.database = parts.store().database();
        this.retirement = new Retirement(parts);
        this.registrations =
                new Registrations(database, parts.index(), parts.store().site());
        this.compaction = new Compaction(database, designs);
        this.marks = new Marks(database, parts.clock());
        boolean replicates = parts.store().site().name() != null;
        this.mayPurgeAtOnce = !replicates;
        this.keepTombstones = replicates ? Duration.ofDays(30) : Duration.ofMinutes(10);
    }

    @Override
    public GarbageCollector keepFinished(Duration age) {
        if (age.isNegative()) {
            throw new IllegalArgumentException("keepFinished must not be negative: " + age);
        }
        this.keepFinished = age;
        return this;
    }

    @Override
    public GarbageCollector keepTombstones(Duration age) {
        if (age.isNegative()) {
            throw new IllegalArgumentException("keepTombstones must not be negative: " + age);
        }
        this.keepTombstones = age;
        this.mayPurgeAtOnce = false;
        return this;
    }

    @Override
    public GarbageCollector dryRun(boolean writeNothing) {
        this.dryRun = writeNothing;
        return this;
    }

    @Override
    public GarbageCollector onProgress(Consumer<GarbageCollection.Step> newListener) {
        this.listener = newListener;
        return this;
    }

    @Override
    public GarbageCollection.Report run() throws InterruptedException {
        long started = parts.clock().nanos();
        long before = compaction.bytes();
        if (!dryRun) {
            designs.push();
        }
        progress("waiting for the indexes").accept(0);
        compaction.catchUp();
        if (designs.installed().containsAll(OldDesigns.WANTED)) {
            collect();
        } else {
            problems.add(
                    "the design documents of this version are not stored, so nothing is deleted and nothing is purged");
        }
        return new GarbageCollection.Report(
                dryRun,
                jobsDeleted,
                purged,
                kept,
                workersRemoved,
                designsRemoved,
                before,
                dryRun ? before : compaction.bytes(),
                Duration.ofNanos(parts.clock().nanos() - started),
                problems);
    }

    private void collect() throws InterruptedException {
        removeDeadWorkers();
        retire();
        attempt("design documents of other versions cannot be removed", this::removeOldDesigns);
        if (!dryRun) {
            new FinishedLogs(parts).deleteOrphans();
            new HistoryKeeper(parts).tidy();
        }
        attempt("tombstones cannot be purged", this::purge);
        if (!dryRun) {
            attempt("the database cannot be compacted", () -> compaction.run(progress("compacting")));
            marks.add();
        }
    }

    private void removeDeadWorkers() {
        for (WorkerRegistration dead : registrations.dead(parts.clock().instant())) {
            if (dryRun || registrations.remove(dead)) {
                workersRemoved.add(dead.id());
            }
        }
    }

    /**
     * Deletes finished jobs. Jobs that finished less than {@code keepFinished} ago stay for now. If that time is short, the
     * collection waits for them.
     */
    private void retire() throws InterruptedException {
        Instant begun = parts.clock().instant();
        if (dryRun) {
            jobsDeleted.putAll(retirement.count(begun, begun));
            return;
        }
        LongConsumer progress = progress("deleting finished jobs");
        retirement.run(begun.minus(keepFinished), begun, jobsDeleted, progress);
        boolean mayWait = !keepFinished.isZero() && keepFinished.compareTo(Retirement.LAG) <= 0;
        if (mayWait && !retirement.count(begun, begun).isEmpty()) {
            Duration left = Duration.between(parts.clock().instant(), begun).plus(keepFinished);
            parts.store().environment().pause(left.compareTo(keepFinished) < 0 ? left : keepFinished);
            retirement.run(begun, begun, jobsDeleted, progress);
        }
    }

    private void removeOldDesigns() {
        List<WorkerRegistration> workers = registrations.alive(parts.clock().instant());
        designsRemoved.addAll(new OldDesigns(database, designs).remove(workers, dryRun, problems::add));
    }

    private void purge() throws InterruptedException {
        DatabaseInfo info = database.info();
        if (info.deletedDocCount() == 0) {
            // A server that does not count its tombstones does not purge them either, and says so.
            database.purge(Map.of());
            return;
        }
        Tombstones tombstones = new Tombstones(parts.store(), rules());
        try {
            long all = info.docCount() + info.deletedDocCount();
            tombstones.run(dryRun, all, compaction::catchUp, progress("purging tombstones"));
        } finally {
            purged = tombstones.purged();
            kept = tombstones.kept();
            if (tombstones.isCopyAway()) {
                problems.add(
                        "tombstones stay: a node of the cluster does not answer, and would bring back the jobs that it has"
                                + " not seen deleted; collect again when all nodes are there");
            }
        }
    }

    private Tombstones.Rules rules() {
        Instant now = parts.clock().instant();
        Duration lease = parts.settings().longestTimeout().multipliedBy(2);
        Duration age = keepTombstones.compareTo(lease) < 0 ? lease : keepTombstones;
        return new Tombstones.Rules(
                marks.before(now.minus(age)),
                keepTombstones.isZero(),
                () -> mayPurgeAtOnce && registrations.nobodyWorks(parts.clock().instant()),
                new AwaitedJobs(database, parts.index())::docIds,
                now.minus(TURNS));
    }

    private void attempt(String problem, Tombstones.Step step) throws InterruptedException {
        try {
            step.run();
        } catch (CouchException notHere) {
            if (!NOT_POSSIBLE.contains(notHere.status())) {
                throw notHere;
            }
            String why = notHere.status() == 401 || notHere.status() == 403
                    ? "that takes an administrator of the server"
                    : "this server does not know how, as CouchDB does";
            problems.add(problem + ": " + why + " (" + notHere.status() + " " + notHere.reason() + ")");
        }
    }

    private LongConsumer progress(String step) {
        return done -> listener.accept(new GarbageCollection.Step(step, done));
    }
}
