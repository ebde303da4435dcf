package io.couchjobs.engine.worker;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.Leaves;
import io.couchjobs.engine.worker.Sightings.Sighting;
import io.couchjobs.job.Job;
import io.couchjobs.job.Lock;
import io.couchjobs.type.Limit;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes jobs from owners that are dead, as the {@link ActivityMonitor} has found. Thread-safe. */
final class DeadOwners {
    private static final Logger log = LoggerFactory.getLogger(ActivityMonitor.class);

    private final QueueParts parts;
    private final String ownWorker;
    private final Sightings sightings;
    private final LongAdder recovered = new LongAdder();

    DeadOwners(QueueParts parts, String ownWorker, Sightings sightings) {
        this.parts = parts;
        this.ownWorker = ownWorker;
        this.sightings = sightings;
    }

    /** How many jobs were taken. */
    long recovered() {
        return recovered.sum();
    }

    static Optional<Job> leaf(Leaves present, String rev) {
        return present.jobs().stream()
                .filter(job -> job.rev().equals(Optional.of(rev)))
                .findFirst();
    }

    /** Takes a job from its dead owner. */
    void free(Job silent, Leaves present, Sighting sighting) {
        if (!parts.store().site().owns(silent)) {
            sightings.forget(silent.id(), sighting);
            return;
        }
        if (silent.lock()
                .map(Lock::token)
                .filter(parts.store().claimsUnderWay()::contains)
                .isPresent()) {
            sightings.again(silent.id(), sighting, sighting.worker(), sighting.rev());
            return;
        }
        if (!present.areInConflict() && !silent.isWithdrawn()) {
            expire(silent, sighting);
            return;
        }
        if (!silent.isWithdrawn()) {
            ClusterTransitions.withdrawAfterRun(silent, parts.clock().instant())
                    .write()
                    .ifPresent(parts.store()::write);
        }
        parts.store().look(silent.id());
        sightings.again(silent.id(), sighting, sighting.worker(), sighting.rev());
    }

    private void expire(Job silent, Sighting sighting) {
        Optional<Job> expired = Transitions.expire(
                        silent,
                        parts.settings().get(silent.type()).get(Limit.EXPIRATIONS),
                        parts.clock().instant())
                .write();
        if (expired.isPresent() && !(parts.store().write(expired.get()) instanceof WriteResult.Stored)) {
            // Somebody is alive, which the feed will tell, or the database would not have it: later again.
            sightings.again(silent.id(), sighting, sighting.worker(), sighting.rev());
            return;
        }
        sightings.forget(silent.id(), sighting);
        if (expired.isPresent()) {
            recovered.increment();
            tell(expired.get(), sighting.worker());
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
