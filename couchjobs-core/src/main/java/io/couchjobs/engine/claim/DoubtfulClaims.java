package io.couchjobs.engine.claim;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.limit.Limits;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.MalformedJobException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims that may have been stored: neither an answer nor the job could be read. No worker runs these jobs, so those
 * that are locked by such a claim are given back, and need not wait until the lease runs out. It asks on a thread of
 * its own that lives only while there is a doubt. Thread-safe.
 *
 * <p>On a cluster such a claim is withdrawn instead.
 *
 * <p>A request may still be under way. So a job that still has the revision to be claimed is looked at again, until it
 * has moved on or the lease would be over anyway.
 */
final class DoubtfulClaims implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DoubtfulClaims.class);

    private final QueueParts parts;
    private final Limits limits;
    private final UnconfirmedClaims unconfirmed;
    private final Lane lane;
    private final Backoff backoff;
    private final List<Doubt> doubts = new ArrayList<>();
    private boolean planned;

    private record Doubt(Limits.Grant grant, Lease lease) {
        String docId() {
            return grant.job().id().docId();
        }
    }

    DoubtfulClaims(QueueParts parts, Limits limits, UnconfirmedClaims unconfirmed) {
        this.parts = parts;
        this.limits = limits;
        this.unconfirmed = unconfirmed;
        this.backoff = new Backoff(parts.store().environment(), Duration.ofMillis(100), Duration.ofSeconds(3));
        this.lane = parts.store().environment().lane("couchjobs-doubts", 1);
    }

    /** Looks after claims that were sent then, and may have been stored. */
    synchronized void add(List<Limits.Grant> claims, long sentNanos) {
        for (Limits.Grant claim : claims) {
            String type = claim.job().type();
            Lease lease = new Lease(parts.clock(), () -> parts.settings().timeoutOf(type), sentNanos);
            doubts.add(new Doubt(claim, lease));
        }
        backoff.reset();
        plan();
    }

    /** Claims still in doubt are left to the activity monitors. */
    @Override
    public void close() {
        lane.close();
    }

    private synchronized void plan() {
        if (planned || doubts.isEmpty()) {
            return;
        }
        lane.schedule(backoff.next(), this::work);
        planned = true;
    }

    private void work() {
        List<Doubt> open;
        synchronized (this) {
            open = List.copyOf(doubts);
        }
        List<Doubt> settled = new ArrayList<>();
        try {
            settle(open, settled);
        } catch (RuntimeException | Error e) {
            log.debug("it cannot be told now what became of {} claims", open.size(), e);
        } finally {
            synchronized (this) {
                doubts.removeAll(settled);
                planned = false;
                plan();
            }
        }
    }

    /** One job can be in doubt many times, when writing fails again and again; it is read once. */
    private void settle(List<Doubt> open, List<Doubt> settled) {
        if (parts.store().isCluster()) {
            open.forEach(this::withdraw);
            settled.addAll(open);
            return;
        }
        List<String> ids = open.stream().map(Doubt::docId).distinct().toList();
        List<Optional<ObjectNode>> found = parts.store().database().getAll(ids);
        for (Doubt doubt : open) {
            if (isSettled(doubt, found.get(ids.indexOf(doubt.docId())))) {
                settled.add(doubt);
            }
        }
    }

    /** Where there are several copies, a job that was given back could be one that another claim owns. */
    private void withdraw(Doubt doubt) {
        Limits.Grant grant = doubt.grant;
        parts.store()
                .withdrawals()
                .withdrawIfStored(
                        grant.job().id(),
                        grant.token(),
                        "the answer to the claim was lost",
                        parts.clock().instant());
        unconfirmed.tied(grant.job().id());
        limits.lost(grant);
    }

    private boolean isSettled(Doubt doubt, Optional<ObjectNode> found) {
        Optional<Job> present = parse(found);
        if (present.filter(job -> job.isLockedBy(doubt.grant.token())).isPresent()) {
            giveBack(doubt, present.get());
            return true;
        }
        boolean mayStillCome =
                present.filter(job -> job.rev().equals(doubt.grant.job().rev())).isPresent();
        if (!mayStillCome) {
            limits.lost(doubt.grant);
        }
        return !mayStillCome || doubt.lease.isOver();
    }

    private void giveBack(Doubt doubt, Job job) {
        Limits.Grant grant = doubt.grant;
        Runnable onEnd = () -> limits.lost(grant);
        var policy = parts.settings().retryPolicyOf(job.type());
        try {
            new LeasedJob(parts.store(), parts.clock(), policy, grant.token(), job, doubt.lease, onEnd).release();
            log.debug("the claim of {} was stored though its answer was lost; it is given back", job.id());
        } catch (HaltException notOursAnyMore) {
            log.debug("{}", notOursAnyMore.getMessage());
        }
    }

    private static Optional<Job> parse(Optional<ObjectNode> found) {
        try {
            return found.map(Job::parse);
        } catch (MalformedJobException overwritten) {
            return Optional.empty();
        }
    }
}
