package io.couchjobs.engine.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.registry.SignOfLife;
import io.couchjobs.engine.registry.WorkerRegistration;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.Leaves;
import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.engine.worker.Sightings.Sighting;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Lock;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.type.Limit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers jobs from owners that the {@link ActivityMonitor} found dead, and deletes the registrations of dead workers.
 * Thread-safe.
 */
final class DeadOwners {
    private static final Logger log = LoggerFactory.getLogger(ActivityMonitor.class);
    /** Even an idle worker writes its registration every five minutes. */
    private static final Duration DEAD_AFTER = Duration.ofMinutes(15);

    /** The greatest number of jobs in one reading. */
    static final int MOST_TOGETHER = 100;

    private static final int MOST_REFUSED = 1_000;

    private final QueueParts parts;
    private final String ownWorker;
    private final Predicate<JobId> isOurs;
    private final Sightings sightings;
    private final LongAdder recovered = new LongAdder();
    /** The jobs for which a warning about a refused write was logged. */
    private final Set<JobId> refused =
            Collections.newSetFromMap(Collections.synchronizedMap(RecentMap.byUse(MOST_REFUSED)));

    DeadOwners(QueueParts parts, String ownWorker, Predicate<JobId> isOurs, Sightings sightings) {
        this.parts = parts;
        this.ownWorker = ownWorker;
        this.isOurs = isOurs;
        this.sightings = sightings;
    }

    /** {@return how many jobs were recovered} */
    long recovered() {
        return recovered.sum();
    }

    static Optional<Job> leaf(Leaves present, String rev) {
        return present.first(job -> job.rev().equals(Optional.of(rev)));
    }

    /**
     * {@return whether a job belongs to this worker's id but has no run in this process} This worker's signs of life do not
     * count for such a job.
     */
    boolean isLeftByAFormerProcess(JobId id, String owner) {
        return owner.equals(ownWorker) && !isOurs.test(id);
    }

    /**
     * Recovers the jobs of an earlier process with this worker's id. When no majority of the copies is in reach, the jobs are
     * left to the monitor. A node that is cut off may still show a claim that has ended on the other nodes.
     */
    void recoverOwn() {
        List<WorkerInfo.OwnedJob> left = parts.index().owned().stream()
                .filter(job -> isLeftByAFormerProcess(job.id(), job.worker()))
                .toList();
        for (int from = 0; from < left.size(); from += MOST_TOGETHER) {
            recover(left.subList(from, Math.min(from + MOST_TOGETHER, left.size())));
        }
    }

    private void recover(List<WorkerInfo.OwnedJob> some) {
        List<JobId> ids = some.stream().map(WorkerInfo.OwnedJob::id).toList();
        Optional<Map<JobId, Optional<Leaves>>> read = parts.store()
                .majority()
                .read(ids.stream().map(JobId::docId).toList(), () -> parts.store()
                        .leaves(ids));
        if (read.isEmpty()) {
            log.warn(
                    "no majority of the copies is in reach: {} jobs of a former process of worker {} are taken back later",
                    some.size(),
                    ownWorker);
            return;
        }
        free(some.stream()
                .flatMap(job -> left(job, read.get().getOrDefault(job.id(), Optional.empty())).stream())
                .toList());
    }

    private Optional<Left> left(WorkerInfo.OwnedJob job, Optional<Leaves> read) {
        Sighting now = new Sighting(job.rev(), ownWorker, parts.clock().nanos(), 0);
        return read.flatMap(present -> leaf(present, job.rev()).map(silent -> new Left(silent, present, now)));
    }

    /** Deletes the registrations of workers that are dead and own no jobs. */
    void removeRegistrations() {
        sightings.workers().forEach((worker, beat) -> {
            boolean dead = parts.clock().nanos() - beat.nanos() > DEAD_AFTER.toNanos() && !sightings.owns(worker);
            if (dead && sightings.workers().remove(worker, beat) && !beat.sign().equals(SignOfLife.NONE)) {
                removeRegistration(worker, beat.sign());
            }
        });
    }

    private void removeRegistration(String worker, SignOfLife last) {
        try {
            CouchDatabase database = parts.store().database();
            String docId = DocIds.WORKER + worker;
            for (ObjectNode leaf : database.leaves(docId)) {
                boolean isGenuine = WorkerRegistration.of(docId, leaf).isGenuine();
                if (isGenuine && last.leaves().contains(leaf.path(Field.REV).asText())) {
                    database.put(
                            leaf.put("_deleted", true)); // the fields tell garbage collection whose tombstone it is
                }
            }
        } catch (RuntimeException e) {
            log.debug("the registration of dead worker {} stays behind until the next scan: {}", worker, e.toString());
        }
    }

    /**
     * A job that its owner left behind.
     *
     * @param silent the leaf that has not changed since it was seen
     */
    record Left(Job silent, Leaves present, Sighting sighting) {
        private Optional<Job> expired(QueueParts parts) {
            OptionalInt most = parts.settings().get(silent.type()).get(Limit.EXPIRATIONS);
            Instant now = parts.clock().instant();
            Decision expiry = parts.store().isCluster()
                    ? ClusterTransitions.expire(silent, most, now)
                    : Transitions.expire(silent, most, now);
            return expiry.write();
        }
    }

    /** Recovers jobs from their dead owner. All jobs without conflicts are written in one request. */
    void free(List<Left> jobs) {
        List<Left> expiring = new ArrayList<>();
        for (Left job : jobs) {
            if (!parts.store().site().owns(job.silent)) {
                sightings.forget(job.silent.id(), job.sighting);
            } else if (isBeingClaimed(job.silent)) {
                seeAgain(job);
            } else if (job.present.areInConflict() || job.silent.isWithdrawn()) {
                withdraw(job);
            } else {
                expiring.add(job);
            }
        }
        expire(expiring);
    }

    private boolean isBeingClaimed(Job silent) {
        return silent.lock()
                .map(Lock::token)
                .filter(parts.store().writer().claimsUnderWay()::contains)
                .isPresent();
    }

    private void withdraw(Left job) {
        if (!job.silent.isWithdrawn()) {
            ClusterTransitions.withdrawAfterRun(job.silent, parts.clock().instant())
                    .write()
                    .ifPresent(parts.store().writer()::write);
        }
        parts.store().look(job.silent.id());
        seeAgain(job);
    }

    private void seeAgain(Left job) {
        sightings.again(job.silent.id(), job.sighting, job.sighting.worker(), job.sighting.rev());
    }

    private void expire(List<Left> jobs) {
        List<Left> writing = new ArrayList<>();
        List<Job> expired = new ArrayList<>();
        for (Left job : jobs) {
            Optional<Job> written = job.expired(parts);
            if (written.isPresent()) {
                writing.add(job);
                expired.add(written.get());
            } else {
                sightings.forget(job.silent.id(), job.sighting);
            }
        }
        List<WriteResult> answers = parts.store().writer().writeAll(expired);
        for (int i = 0; i < writing.size(); i++) {
            answered(writing.get(i), expired.get(i), answers.get(i));
        }
    }

    /**
     * Processes the answer to an expiry. If the owner is alive, or the database refused the write, the monitor looks again
     * later.
     */
    private void answered(Left job, Job expired, WriteResult answer) {
        if (answer instanceof WriteResult.Stored) {
            sightings.forget(expired.id(), job.sighting);
            recovered.increment();
            tell(expired, job.sighting.worker());
        } else {
            if (answer instanceof WriteResult.Refused refusal && refused.add(expired.id())) {
                log.warn("{} cannot be taken from its dead owner, trying again: {}", expired.id(), refusal.reason());
            }
            seeAgain(job);
        }
    }

    private void tell(Job freed, String owner) {
        String status = freed.status().json();
        if (owner.equals(ownWorker)) {
            log.info("{} was left behind by a former process of worker {}; it is {} now", freed.id(), owner, status);
        } else {
            log.warn(
                    "worker {} gave no sign of life for {} while it owned {}; the job is {} now",
                    owner,
                    parts.settings().timeoutOf(freed.id().type()),
                    freed.id(),
                    status);
        }
    }
}
