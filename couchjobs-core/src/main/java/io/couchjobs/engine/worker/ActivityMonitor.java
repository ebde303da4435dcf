package io.couchjobs.engine.worker;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.feed.PatientListener;
import io.couchjobs.engine.registry.Registry;
import io.couchjobs.engine.registry.SignOfLife;
import io.couchjobs.engine.registry.WorkerRegistration;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.time.Alarm;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.engine.worker.Sightings.Beat;
import io.couchjobs.engine.worker.Sightings.Sighting;
import io.couchjobs.engine.worker.Sightings.Timeout;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import io.couchjobs.job.Site;
import io.couchjobs.job.WorkerInfo;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers jobs from dead owners. Each worker runs a monitor, and so does each process that claims jobs by {@code accept} or
 * {@code claim}. Monitors race without harm. Thread-safe.
 *
 * <p>A monitor compares no clocks. It remembers the revision of a job and that of its worker's registration, and when it first
 * saw each revision on its own monotonic clock. When neither has changed for the type's timeout, plus a random part so that
 * monitors do not collide, it reads both once more. It then expires the claim, on exactly the revision that it saw. A conflict
 * means that the owner is alive, or that another process was first. Source: the activity monitor of the RFC.
 *
 * <p>On a cluster, a monitor that is cut off with a minority of the copies sees no changes because of its own isolation. Its
 * writes would replace the living owner's document after the partition. So a reading counts only as that of a majority of the
 * copies. The claim of a document with conflicts does not expire: it is withdrawn, and the conflict is resolved.
 *
 * <p>The jobs of one owner are recovered together. If this fails, they are recovered one by one, so that a problem with one job
 * or with the index does not block the others.
 */
public final class ActivityMonitor implements PatientListener, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ActivityMonitor.class);
    private static final Duration LONGEST_SLEEP = Duration.ofSeconds(1);
    /** The pause while there is nothing to watch. A job that comes to be watched ends the pause. */
    private static final Duration IDLE = Duration.ofMinutes(1);

    private static final Duration FIRST_LOOK = Duration.ofMillis(100);
    private static final Duration AT_ONCE = Duration.ofMillis(10);
    private static final Duration SCAN_EVERY = Duration.ofMinutes(10);
    /** On a cluster, the copy of the index that was read may have been behind the position from which the feed continues. */
    private static final Duration SCAN_EVERY_ON_CLUSTERS = Duration.ofSeconds(45);
    /** The pause before the second scan, by which time most copies have caught up. */
    private static final Duration SECOND_SCAN_ON_CLUSTERS = Duration.ofSeconds(2);

    private final QueueParts parts;
    private final Sightings sightings;
    private final DeadOwners deadOwners;
    private final Lane watching;
    /** The lane for scans. An index that is being built may take very long to answer, which must not delay the watching. */
    private final Lane scanning;

    /** The types whose jobs changed without being read. */
    private final Set<String> unreadTypes = ConcurrentHashMap.newKeySet();
    /** The types of all jobs that the feed has ever reported. */
    private final Set<String> heardTypes = ConcurrentHashMap.newKeySet();

    private volatile long scannedNanos;
    /** Whether the feed has continued from a new position since the last scan. */
    private volatile boolean beginsAnew;

    private final Alarm watch;
    private final Alarm scan;
    private final Backoff watchAgain;
    private final Backoff scanAgain;
    private @Nullable Listening listening;

    /** Watches the jobs of all workers. {@code isOurs} tells whether this process runs a job now. */
    ActivityMonitor(QueueParts parts, String ownWorker, Predicate<JobId> isOurs) {
        this.parts = parts;
        Environment environment = parts.store().environment();
        this.watchAgain = new Backoff(environment, Duration.ofMillis(200), Duration.ofSeconds(5));
        this.scanAgain = new Backoff(environment, Duration.ofSeconds(1), Duration.ofMinutes(1));
        this.watching = environment.lane("couchjobs-monitor", 1);
        this.scanning = environment.lane("couchjobs-monitor-scan", 1);
        this.watch = new Alarm(watching, this::watch);
        this.scan = new Alarm(scanning, this::scan);
        this.sightings = new Sightings(parts, () -> environment.random().nextDouble());
        this.deadOwners = new DeadOwners(parts, ownWorker, isOurs, sightings);
    }

    void start() {
        listening = parts.feed().listen(this);
        scanAnew();
        watch.now();
    }

    private void scanAnew() {
        beginsAnew = true;
        scan.now();
    }

    long recovered() {
        return deadOwners.recovered();
    }

    @Override
    public void changed(FeedEvent event) {
        if (isOthers(event)) {
            return;
        }
        event.job().ifPresent(job -> heardTypes.add(job.type()));
        if (sightings.changed(event)) {
            watch.within(FIRST_LOOK);
        } else if (event.docId().startsWith(DocIds.TYPE)) {
            watch.within(AT_ONCE);
        }
    }

    /**
     * Plans a scan, because jobs of all reported types may have new owners. The scan comes within half of the shortest timeout
     * of these types. It also finds the jobs of other types.
     */
    @Override
    public void skipped() {
        mustScan(heardTypes);
    }

    /** Plans a scan after a run of this process has lost its job. The feed may not have reported the new owner. */
    void lost(JobId id) {
        heardTypes.add(id.type());
        mustScan(Set.of(id.type()));
    }

    private void mustScan(Set<String> types) {
        unreadTypes.addAll(types);
        watch.within(LONGEST_SLEEP);
    }

    /** The change of a job is a sign of life. The next scan of the index shows whether the job is owned now. */
    @Override
    public void unread(FeedNotice notice) {
        notice.jobId().ifPresent(id -> {
            sightings.moved(id);
            if (!notice.own() && !notice.deleted()) {
                heardTypes.add(id.type());
                mustScan(Set.of(id.type()));
            }
        });
    }

    /**
     * Returns whether an event concerns another site. Each site watches the jobs that it runs, because no other site can see
     * which workers live there.
     */
    private boolean isOthers(FeedEvent event) {
        Site site = parts.store().site();
        JsonNode document = event.document();
        if (document != null && event.docId().startsWith(DocIds.WORKER)) {
            return !event.deleted()
                    && !WorkerRegistration.of(event.docId(), document).isFrom(site);
        }
        return event.job().filter(job -> !site.owns(job)).isPresent();
    }

    @Override
    public void gap() {
        sightings.forgetAll();
        scanAnew();
    }

    /** Keeps the earlier sightings: an often interrupted feed must not prevent the recovery of jobs from dead owners. */
    @Override
    public void reconnected() {
        scanAnew();
    }

    @Override
    public void close() {
        if (listening != null) {
            listening.close();
        }
        watching.close();
        scanning.close();
    }

    private void watch() {
        Duration next = LONGEST_SLEEP;
        try {
            next = examineAll();
            scanIfUnread();
            deadOwners.removeRegistrations();
        } finally {
            watch.within(next);
        }
    }

    /**
     * Plans a scan if jobs have changed unread. A new owner must be seen before it has been silent for the timeout of its job's
     * type.
     */
    private void scanIfUnread() {
        if (unreadTypes.isEmpty()) {
            return;
        }
        try {
            Duration shortest = unreadTypes.stream()
                    .map(type -> sightings.timeout(type).length())
                    .reduce(SCAN_EVERY, Environment::shorter);
            if (parts.clock().nanos() - scannedNanos >= shortest.toNanos() / 2) {
                scan.now();
            }
        } catch (RuntimeException trouble) {
            log.debug("settings cannot be read, so the index is asked at once", trouble);
            scan.now();
        }
    }

    /** Examines all owned jobs. Returns the pause until the next look. */
    private Duration examineAll() {
        Troubles troubles = new Troubles();
        Map<String, SilentOwner> silent = new LinkedHashMap<>();
        Duration next = sightings.owned().isEmpty() && unreadTypes.isEmpty() ? IDLE : LONGEST_SLEEP;
        for (Map.Entry<JobId, Sighting> entry : sightings.owned().entrySet()) {
            next = Environment.shorter(
                    next, troubles.orElse(LONGEST_SLEEP, () -> examine(entry.getKey(), entry.getValue(), silent)));
        }
        silent.values().forEach(owner -> recover(owner, troubles));
        if (troubles.last() == null) {
            watchAgain.reset();
            return silent.isEmpty() ? next : AT_ONCE;
        }
        warnOnce(watching, watchAgain, "the activity monitor cannot look after owned jobs", troubles.last());
        return Environment.shorter(next, watchAgain.next());
    }

    private static void recover(SilentOwner owner, Troubles troubles) {
        Troubles together = new Troubles();
        owner.recoveries().forEach(together::note);
        if (together.last() != null && !together.isAway()) {
            owner.singleRecoveries().forEach(troubles::note);
        } else {
            troubles.add(together);
        }
    }

    /** Looks once, without waiting for a feed. Returns the pause until the next look. */
    Duration look() {
        scanOnce();
        return examineAll();
    }

    private void scan() {
        Duration next;
        try {
            boolean isFirst = beginsAnew;
            beginsAnew = false;
            scanOnce();
            watch.within(LONGEST_SLEEP);
            next = untilNextScan(isFirst);
            scanAgain.reset();
        } catch (RuntimeException | Error e) {
            warnOnce(scanning, scanAgain, "the activity monitor cannot ask which jobs are owned", e);
            next = scanAgain.next();
        }
        scan.within(next);
    }

    private Duration untilNextScan(boolean isFirst) {
        if (!parts.store().isCluster()) {
            return SCAN_EVERY;
        }
        return isFirst ? SECOND_SCAN_ON_CLUSTERS : SCAN_EVERY_ON_CLUSTERS;
    }

    /** Reads the owned jobs from the index. The feed reports most owned jobs; the index also has those that were owned before. */
    private void scanOnce() {
        scannedNanos = parts.clock().nanos();
        Set<String> told = Set.copyOf(unreadTypes);
        unreadTypes.removeAll(told);
        try {
            readOwned();
        } catch (RuntimeException | Error e) {
            unreadTypes.addAll(told);
            throw e;
        }
    }

    private void readOwned() {
        for (WorkerInfo.OwnedJob job : parts.index().owned()) {
            sightings.sawUnlessKnown(job.id(), job.worker(), job.rev());
        }
        Registry.read(parts.store().database()).stream()
                .filter(worker -> worker.isFrom(parts.store().site()))
                .forEach(worker -> sightings.heardUnlessKnown(worker.id(), new SignOfLife(List.of(worker.rev()))));
    }

    /** Warns once. Closing a lane breaks off its present request, which is no failure. */
    private static void warnOnce(Lane lane, Backoff backoff, String what, Throwable trouble) {
        if (backoff.attempts() == 0 && !lane.isClosed()) {
            log.warn("{}, trying again until it can: {}", what, trouble.toString());
        }
    }

    /** Examines one owned job. Returns the pause until the next look at it. */
    private Duration examine(JobId id, Sighting sighting, Map<String, SilentOwner> silent) {
        String worker = sighting.worker();
        Timeout timeout = sightings.timeout(id.type());
        Beat beat = sightings.beat(worker).orElseGet(() -> sightings.heardUnlessKnown(worker, signOfLife(worker)));
        long life = deadOwners.isLeftByAFormerProcess(id, worker)
                ? sighting.nanos()
                : later(beat.nanos(), sighting.nanos());
        long since = later(life, timeout.changedNanos().orElse(life));
        Duration left =
                timeout.patience(sighting.luck()).minusNanos(parts.clock().nanos() - since);
        if (!left.isNegative() && !left.isZero()) {
            return left;
        }
        silent.computeIfAbsent(worker, name -> new SilentOwner(parts, sightings, deadOwners, name, beat))
                .add(id, sighting, timeout);
        return LONGEST_SLEEP;
    }

    private SignOfLife signOfLife(String worker) {
        return SignOfLife.read(parts.store().database(), worker);
    }

    /** Recovers at once the jobs of an earlier process with this worker's id. */
    void recoverOwn() {
        deadOwners.recoverOwn();
    }

    private static long later(long one, long other) {
        return one - other < 0 ? other : one;
    }
}
