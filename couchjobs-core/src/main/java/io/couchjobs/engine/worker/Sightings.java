package io.couchjobs.engine.worker;

import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.registry.SignOfLife;
import io.couchjobs.engine.registry.WorkerRegistration;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;

/**
 * The owned jobs and the worker registrations that an activity monitor saw: each revision, and when it was first seen on the
 * monitor's own monotonic clock. Thread-safe. No I/O.
 */
final class Sightings {
    private static final Duration LONGEST_JITTER = Duration.ofSeconds(10);

    private final ServerClock clock;
    private final SettingsStore settings;
    private final DoubleSupplier luck;
    private final Map<JobId, Sighting> owned = new ConcurrentHashMap<>();
    private final Map<String, Beat> workers = new ConcurrentHashMap<>();
    private final Map<String, Timeout> timeouts = new ConcurrentHashMap<>();

    /**
     * An owned job.
     *
     * @param luck a number from 0 to 1: the part of the longest jitter that is added to the timeout
     */
    record Sighting(String rev, String worker, long nanos, double luck) {}

    /** A worker's last sign of life, and when it was seen. */
    record Beat(SignOfLife sign, long nanos) {}

    /** A type's timeout, and when this process noticed that it had changed. */
    record Timeout(Duration length, OptionalLong changedNanos) {
        /** {@return how long an owner may be silent, given the luck of its job} */
        Duration patience(double luck) {
            Duration half = length.dividedBy(2);
            Duration jitter = half.compareTo(LONGEST_JITTER) < 0 ? half : LONGEST_JITTER;
            return length.plusNanos((long) (jitter.toNanos() * luck));
        }
    }

    /** Begins with nothing seen. The luck of each job is drawn from 0 to 1. */
    Sightings(QueueParts parts, DoubleSupplier luck) {
        this.clock = parts.clock();
        this.settings = parts.settings();
        this.luck = luck;
    }

    /** Records an event of a job or a registration. Returns true when a job has a new owned revision. */
    boolean changed(FeedEvent event) {
        if (event.docId().startsWith(DocIds.WORKER)) {
            changed(WorkerRegistration.idOf(event.docId()), event);
            return false;
        }
        Optional<JobId> id = JobId.fromDocId(event.docId());
        Optional<String> worker = event.job().flatMap(Job::lock).map(lock -> lock.worker());
        if (id.isPresent() && worker.isEmpty()) {
            owned.remove(id.get());
        }
        return id.isPresent() && worker.isPresent() && saw(id.get(), worker.get(), event.rev());
    }

    private void changed(String worker, FeedEvent event) {
        if (event.deleted()) {
            workers.remove(worker);
        } else if (!new SignOfLife(event.leaves())
                .equals(beat(worker).map(Beat::sign).orElse(SignOfLife.NONE))) {
            heard(worker, new SignOfLife(event.leaves()));
        }
    }

    private boolean saw(JobId id, String worker, String rev) {
        Sighting known = owned.get(id);
        if (known != null && known.rev.equals(rev)) {
            return false;
        }
        owned.put(id, new Sighting(rev, worker, clock.nanos(), luck.getAsDouble()));
        return true;
    }

    /** Records that a job changed in an unknown way. */
    void moved(JobId id) {
        owned.remove(id);
    }

    /** Records an owned job from the index, which may be older than what the feed reported. */
    void sawUnlessKnown(JobId id, String worker, String rev) {
        owned.putIfAbsent(id, new Sighting(rev, worker, clock.nanos(), luck.getAsDouble()));
    }

    /** Records a sign of life that was read, which may be older than what the feed reported. Returns the known sign of life. */
    Beat heardUnlessKnown(String worker, SignOfLife sign) {
        return workers.computeIfAbsent(worker, first -> new Beat(sign, clock.nanos()));
    }

    /** Records that a worker gave a sign of life, or is not registered. */
    void heard(String worker, SignOfLife sign) {
        workers.put(worker, new Beat(sign, clock.nanos()));
    }

    /** Restarts the time of a job from now, without jitter: the job has already had its jitter. */
    void again(JobId id, Sighting seen, String worker, String rev) {
        owned.replace(id, seen, new Sighting(rev, worker, clock.nanos(), 0));
    }

    void forget(JobId id, Sighting seen) {
        owned.remove(id, seen);
    }

    void forgetAll() {
        owned.clear();
        workers.clear();
        timeouts.clear();
    }

    Map<JobId, Sighting> owned() {
        return owned;
    }

    Map<String, Beat> workers() {
        return workers;
    }

    Optional<Beat> beat(String worker) {
        return Optional.ofNullable(workers.get(worker));
    }

    boolean owns(String worker) {
        return owned.values().stream().anyMatch(job -> job.worker.equals(worker));
    }

    /**
     * Returns the timeout of a type. When it changes, the time of all leases restarts, because the owners need time to follow
     * the change.
     */
    Timeout timeout(String type) {
        Duration now = settings.timeoutOf(type);
        return timeouts.merge(
                type,
                new Timeout(now, OptionalLong.empty()),
                (known, first) -> known.length.equals(now) ? known : new Timeout(now, OptionalLong.of(clock.nanos())));
    }
}
