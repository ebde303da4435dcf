package io.couchjobs.engine.worker;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.registry.SignOfLife;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.Leaves;
import io.couchjobs.engine.worker.Sightings.Beat;
import io.couchjobs.engine.worker.Sightings.Sighting;
import io.couchjobs.engine.worker.Sightings.Timeout;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Lock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * An owner that an activity monitor has not heard from for too long. The owner's jobs are read and recovered together: a dead
 * worker with hundreds of jobs costs few more requests than one with a single job. Not thread-safe.
 */
final class SilentOwner {
    private final QueueParts parts;
    private final Sightings sightings;
    private final DeadOwners deadOwners;
    private final String worker;

    /** The owner's last sign of life, which a new reading must still show. */
    private final Beat beat;

    private final List<Silent> jobs = new ArrayList<>();
    /** Shards for which no majority was in reach when one job was read alone. Their other jobs are not tried in this look. */
    private final Set<Integer> outOfReach = new HashSet<>();

    /** A job that has not changed for the timeout of its type. */
    private record Silent(JobId id, Sighting sighting, Timeout timeout) {}

    /** The last reading of an owner's sign of life and some of its jobs. */
    private record Evidence(SignOfLife signOfLife, Map<JobId, Optional<Leaves>> jobs) {}

    SilentOwner(QueueParts parts, Sightings sightings, DeadOwners deadOwners, String worker, Beat beat) {
        this.parts = parts;
        this.sightings = sightings;
        this.deadOwners = deadOwners;
        this.worker = worker;
        this.beat = beat;
    }

    void add(JobId id, Sighting sighting, Timeout timeout) {
        jobs.add(new Silent(id, sighting, timeout));
    }

    /** {@return tasks that each recover a batch of the jobs; each may fail by itself} */
    Stream<Runnable> recoveries() {
        return Stream.iterate(0, from -> from < jobs.size(), from -> from + DeadOwners.MOST_TOGETHER)
                .map(from -> jobs.subList(from, Math.min(from + DeadOwners.MOST_TOGETHER, jobs.size())))
                .map(some -> () -> recover(some));
    }

    /** {@return tasks that each recover one job, so that a problem with one job does not block the others} */
    Stream<Runnable> singleRecoveries() {
        return jobs.stream().map(one -> () -> recoverAlone(one));
    }

    private void recoverAlone(Silent one) {
        int part = parts.store().majority().partOf(one.id.docId());
        if (outOfReach.contains(part)) {
            throw noMajority();
        }
        recover(List.of(one));
    }

    private static CouchJobsException noMajority() {
        return new CouchJobsException("no majority of the copies is in reach; nobody can tell who is alive");
    }

    /**
     * Reads everything once more, because the feed may be behind, and the owner must not suffer from its delay. The new state
     * is compared with the earlier sightings, not with later events of the feed.
     */
    private void recover(List<Silent> some) {
        some.stream().map(job -> job.id.type()).distinct().forEach(parts.settings()::read);
        List<Silent> silent = some.stream()
                .filter(job -> sightings.timeout(job.id.type()).equals(job.timeout))
                .toList();
        if (silent.isEmpty()) {
            return;
        }
        Evidence found = evidence(silent.stream().map(Silent::id).toList());
        boolean ownerLives = !found.signOfLife.equals(beat.sign());
        if (ownerLives) {
            sightings.heard(worker, found.signOfLife);
        }
        List<DeadOwners.Left> left = new ArrayList<>();
        for (Silent job : silent) {
            if (ownerLives && !deadOwners.isLeftByAFormerProcess(job.id, worker)) {
                sightings.again(job.id, job.sighting, worker, job.sighting.rev());
            } else {
                judge(job, found.jobs).ifPresent(left::add);
            }
        }
        deadOwners.free(left);
    }

    private Evidence evidence(List<JobId> ids) {
        List<String> docIds = Stream.concat(
                        Stream.of(DocIds.WORKER + worker), ids.stream().map(JobId::docId))
                .toList();
        return parts.store()
                .majority()
                .read(
                        docIds,
                        () -> new Evidence(
                                SignOfLife.read(parts.store().database(), worker),
                                parts.store().leaves(ids)))
                .orElseThrow(() -> {
                    if (ids.size() == 1) {
                        outOfReach.add(
                                parts.store().majority().partOf(ids.get(0).docId()));
                    }
                    return noMajority();
                });
    }

    /** {@return the job to recover; empty when the job has changed since it was seen} */
    private Optional<DeadOwners.Left> judge(Silent job, Map<JobId, Optional<Leaves>> read) {
        Optional<Leaves> found = read.get(job.id);
        if (found == null) {
            sightings.again(job.id, job.sighting, worker, job.sighting.rev());
            return Optional.empty();
        }
        Leaves present = found.orElse(new Leaves(List.of()));
        Optional<Job> silent = DeadOwners.leaf(present, job.sighting.rev());
        if (silent.isEmpty()) {
            sawInstead(job, present.winner());
        }
        return silent.map(leaf -> new DeadOwners.Left(leaf, present, job.sighting));
    }

    private void sawInstead(Silent job, Optional<Job> present) {
        Optional<Lock> lock = present.flatMap(Job::lock);
        if (lock.isPresent()) {
            sightings.again(
                    job.id,
                    job.sighting,
                    lock.get().worker(),
                    present.flatMap(Job::rev).orElse(""));
        } else {
            sightings.forget(job.id, job.sighting);
        }
    }
}
