package io.couchjobs.worker;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.MalformedJobException;
import io.couchjobs.job.Transitions;
import io.couchjobs.store.Acceptor;
import io.couchjobs.store.Feed;
import io.couchjobs.store.FeedEvent;
import io.couchjobs.store.JobIndex;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets jobs of dead owners free. Every worker runs one; they race harmlessly. Thread-safe.
 *
 * <p>It compares no clocks: it remembers which revision of a job and of its worker's registration it saw, and when, on its
 * own monotonic clock. When neither has moved for the type's timeout (plus a random bit, so that monitors do not collide),
 * it reads both once more, and writes the job back to waiting on exactly the revision it had seen all the time. A conflict
 * means that somebody is alive. Source: the RFC's activity monitor.
 */
final class ActivityMonitor implements Feed.Listener, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ActivityMonitor.class);
    private static final Duration LONGEST_JITTER = Duration.ofSeconds(10);
    private static final Duration DEAD_AFTER = Duration.ofMinutes(15);
    private static final Duration SCAN_EVERY = Duration.ofMinutes(10);

    private final Acceptor.Parts parts;
    private final String ownWorker;
    private final Predicate<JobId> isOurs;
    private final Map<JobId, Sighting> owned = new ConcurrentHashMap<>();
    private final Map<String, Beat> workers = new ConcurrentHashMap<>();
    private final LongAdder recovered = new LongAdder();
    private final ScheduledExecutorService thread;
    private volatile long scannedNanos;
    private volatile boolean mustScan = true;
    private boolean troubled;
    private Feed.@Nullable Listening listening;

    /**
     * Watches the jobs of all workers.
     *
     * @param parts what it works with
     * @param ownWorker the id of this process's worker
     * @param isOurs whether this process runs a job now
     */
    ActivityMonitor(Acceptor.Parts parts, String ownWorker, Predicate<JobId> isOurs) {
        this.parts = parts;
        this.ownWorker = ownWorker;
        this.isOurs = isOurs;
        this.thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread monitor = new Thread(task, "couchjobs-monitor");
            monitor.setDaemon(true);
            return monitor;
        });
    }

    void start() {
        listening = parts.feed().listen(this);
        thread.execute(this::watch);
    }

    long recovered() {
        return recovered.sum();
    }

    @Override
    public void changed(FeedEvent event) {
        if (event.docId().startsWith(Registration.PREFIX)) {
            String worker = event.docId().substring(Registration.PREFIX.length());
            if (event.deleted()) {
                workers.remove(worker);
            } else {
                saw(worker, event.rev());
            }
            return;
        }
        JobId.fromDocId(event.docId()).ifPresent(id -> event.job()
                .flatMap(Job::lock)
                .ifPresentOrElse(lock -> saw(id, lock.worker(), event.rev()), () -> owned.remove(id)));
    }

    @Override
    public void gap() {
        mustScan = true;
    }

    @Override
    public void close() {
        if (listening != null) {
            listening.close();
        }
        thread.shutdownNow();
    }

    private void watch() {
        Duration next = Duration.ofSeconds(1);
        try {
            next = look();
            troubled = false;
        } catch (RuntimeException | Error e) {
            if (!troubled) {
                log.warn("the activity monitor cannot work, trying again until it can: {}", e.getMessage());
            }
            troubled = true;
        } finally {
            if (!thread.isShutdown()) {
                Future<?> unused = thread.schedule(this::watch, Math.max(next.toMillis(), 10), TimeUnit.MILLISECONDS);
            }
        }
    }

    /** Looks at all owned jobs once, and sets those free that are due; returns how long they can be left alone. */
    Duration look() {
        Duration next = Duration.ofSeconds(1);
        scanIfDue();
        forgetDeadWorkers();
        for (Map.Entry<JobId, Sighting> entry : owned.entrySet()) {
            next = shorter(next, examine(entry.getKey(), entry.getValue()));
        }
        return next;
    }

    /** Most of what is owned comes by the feed; the index tells what was owned before. */
    private void scanIfDue() {
        if (!mustScan && parts.clock().nanos() - scannedNanos < SCAN_EVERY.toNanos()) {
            return;
        }
        for (JobIndex.Owned job : parts.index().owned()) {
            saw(job.id(), job.worker(), job.rev());
        }
        parts.store()
                .database()
                .view(ViewQuery.allDocs().startKey(Registration.PREFIX).endKey(Registration.PREFIX + "\uffff"))
                .rows()
                .forEach(row -> saw(
                        row.key().asText().substring(Registration.PREFIX.length()),
                        row.value().path("rev").asText()));
        scannedNanos = parts.clock().nanos();
        mustScan = false;
    }

    /** Even an idle worker moves its registration every few minutes; one that does not is dead. */
    private void forgetDeadWorkers() {
        workers.entrySet().removeIf(worker -> {
            boolean dead = parts.clock().nanos() - worker.getValue().nanos > DEAD_AFTER.toNanos()
                    && owned.values().stream().noneMatch(job -> job.worker.equals(worker.getKey()));
            if (dead && !worker.getValue().rev.isEmpty()) {
                ObjectNode tombstone = JsonNodeFactory.instance.objectNode();
                tombstone.put("_id", Registration.PREFIX + worker.getKey());
                tombstone.put("_rev", worker.getValue().rev);
                tombstone.put("_deleted", true);
                parts.store().database().put(tombstone);
            }
            return dead;
        });
    }

    /** Looks at one owned job; returns how long it can be left alone. */
    private Duration examine(JobId id, Sighting sighting) {
        Duration timeout = parts.settings().timeoutOf(id.type());
        if (!timeout.equals(sighting.timeout)) {
            // The owner hears of a new timeout as we do, and is to have the time to follow it.
            owned.replace(id, sighting, sighting.from(parts.clock().nanos(), timeout));
            return Duration.ofMillis(10);
        }
        Duration patience = timeout.plus(jitter(timeout, sighting.luck));
        Duration left = patience.minusNanos(parts.clock().nanos() - lastSignOfLife(id, sighting));
        if (!left.isNegative() && !left.isZero()) {
            return left;
        }
        try {
            expireIfSilent(id, sighting);
        } catch (MalformedJobException overwritten) {
            owned.remove(id);
        }
        return Duration.ofMillis(10);
    }

    private long lastSignOfLife(JobId id, Sighting sighting) {
        Beat beat = workers.computeIfAbsent(sighting.worker, this::readBeat);
        return isLeftByAFormerProcess(id, sighting) || beat.nanos - sighting.nanos < 0 ? sighting.nanos : beat.nanos;
    }

    /** A job that our own id owns, and we do not run: no beat of ours speaks for it. */
    private boolean isLeftByAFormerProcess(JobId id, Sighting sighting) {
        return sighting.worker.equals(ownWorker) && !isOurs.test(id);
    }

    private Beat readBeat(String worker) {
        return new Beat(registeredRev(worker), parts.clock().nanos());
    }

    private String registeredRev(String worker) {
        return parts.store()
                .database()
                .get(Registration.PREFIX + worker)
                .map(document -> document.path("_rev").asText())
                .orElse("");
    }

    /** Reads both documents once more: the feed may be behind, the owner is not to suffer from that. */
    private void expireIfSilent(JobId id, Sighting sighting) {
        Beat known = workers.get(sighting.worker);
        String registered = registeredRev(sighting.worker);
        boolean ownerLives = known == null || !known.rev.equals(registered);
        if (ownerLives && !isLeftByAFormerProcess(id, sighting)) {
            saw(sighting.worker, registered);
            return;
        }
        Optional<Job> present = parts.store().read(id);
        if (present.isPresent() && present.get().rev().equals(Optional.of(sighting.rev))) {
            expire(present.get(), sighting);
        } else {
            present.flatMap(Job::lock)
                    .ifPresentOrElse(
                            lock -> saw(
                                    id, lock.worker(), present.flatMap(Job::rev).orElse("")),
                            () -> owned.remove(id));
        }
    }

    private void expire(Job silent, Sighting sighting) {
        Optional<Job> expired = Transitions.expire(
                        silent,
                        parts.settings().get(silent.type()).maxExpirations(),
                        parts.clock().instant())
                .write();
        owned.remove(silent.id(), sighting);
        if (expired.isPresent() && parts.store().write(expired.get()) instanceof WriteResult.Stored) {
            recovered.increment();
            log.warn(
                    "worker {} gave no sign of life for {} while it owned {}; the job is {} now",
                    sighting.worker,
                    parts.settings().timeoutOf(silent.type()),
                    silent.id(),
                    expired.get().status().json());
        }
    }

    /** At once, for the jobs that an earlier process of this worker's id left behind. */
    void recoverOwn() {
        for (JobIndex.Owned job : parts.index().owned()) {
            if (job.worker().equals(ownWorker) && !isOurs.test(job.id())) {
                Sighting now = new Sighting(job.rev(), ownWorker, parts.clock().nanos(), 0, Duration.ZERO);
                parts.store()
                        .read(job.id())
                        .filter(present -> present.rev().equals(Optional.of(job.rev())))
                        .ifPresent(present -> expire(present, now));
            }
        }
    }

    private void saw(JobId id, String worker, String rev) {
        Sighting known = owned.get(id);
        if (known == null || !known.rev.equals(rev)) {
            owned.put(
                    id,
                    new Sighting(
                            rev,
                            worker,
                            parts.clock().nanos(),
                            ThreadLocalRandom.current().nextDouble(),
                            parts.settings().timeoutOf(id.type())));
        }
    }

    private void saw(String worker, String rev) {
        Beat known = workers.get(worker);
        if (known == null || !known.rev.equals(rev)) {
            workers.put(worker, new Beat(rev, parts.clock().nanos()));
        }
    }

    private static Duration jitter(Duration timeout, double luck) {
        Duration most = shorter(timeout.dividedBy(2), LONGEST_JITTER);
        return Duration.ofNanos((long) (most.toNanos() * luck));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private record Sighting(String rev, String worker, long nanos, double luck, Duration timeout) {
        Sighting from(long newNanos, Duration newTimeout) {
            return new Sighting(rev, worker, newNanos, luck, newTimeout);
        }
    }

    private record Beat(String rev, long nanos) {}
}
