package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.MalformedDocumentException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes back claims that were stored, or may have been stored, but made no owner. No worker runs these jobs, so they need not
 * wait until the lease expires. Retries in the background until this object is closed. Thread-safe; the number of pending
 * claims is bounded.
 *
 * <p>With one copy, a stored claim whose answer was lost is given back. If the job still has the revision to be claimed, the
 * request may still be in flight. Such a job is checked again until it has changed, or the lease would be over anyway.
 *
 * <p>On a cluster the claim is withdrawn instead, because another claim may own the job. Claims that are pending at the close
 * are found by the resolution of their conflicts.
 */
public final class ClaimRecovery implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ClaimRecovery.class);
    private static final int MOST = 10_000;
    /** How often a claim whose answer was lost is looked up, with backoff, because it may still be in flight. */
    private static final int MOST_LOOKS = 6;

    private final JobWriter writer;
    private final Conflicts conflicts;
    private final List<Pending> fresh = new ArrayList<>();
    private final Lane lane;
    private int remembered;
    private boolean closed;

    ClaimRecovery(JobWriter writer, Conflicts conflicts) {
        this.writer = writer;
        this.conflicts = conflicts;
        this.lane = writer.environment().lane("couchjobs-claim-recovery", 1);
    }

    /** A claim whose answer was lost, or came too late. */
    public interface LostClaim {
        /** Returns the job before the claim. */
        Job job();

        String token();

        boolean isLeaseOver();

        /** Gives back a claim that is stored on the only copy. */
        void giveBack(Job claimed);

        /** Called when the claim does not exist and will not appear later. */
        void isNone();

        /** Called when the withdrawal of the claim begins. */
        void isWithdrawn();
    }

    /** Withdraws a claim that a cluster stored with the revision of the given job. */
    public void withdraw(Job claim, String reason, Instant now) {
        String token = claim.lock().orElseThrow().token();
        add(List.of(new Pending(claim.id(), token, claim, null, reason, now, 0)));
    }

    /** Takes back claims for which it is unknown whether they were stored. */
    public void recover(List<? extends LostClaim> claims, Instant now) {
        add(claims.stream()
                .map(claim -> new Pending(
                        claim.job().id(),
                        claim.token(),
                        null,
                        claim,
                        "nobody could tell in time whether the claim made an owner",
                        now,
                        0))
                .toList());
    }

    @Override
    public synchronized void close() {
        closed = true;
        fresh.clear();
        lane.close();
    }

    /** Adds claims up to the bound. Further claims are left to the activity monitors, and count as withdrawn for their workers. */
    private void add(List<Pending> claims) {
        claims.subList(addFirst(claims), claims.size()).forEach(Pending::withdrawn);
    }

    private synchronized int addFirst(List<Pending> claims) {
        if (closed) {
            return claims.size();
        }
        List<Pending> first = claims.subList(0, Math.min(claims.size(), MOST - remembered));
        if (fresh.isEmpty() && !first.isEmpty()) {
            lane.execute(this::takeFresh);
        }
        remembered += first.size();
        fresh.addAll(first);
        return first.size();
    }

    private void takeFresh() {
        List<Pending> batch;
        synchronized (this) {
            batch = List.copyOf(fresh);
            fresh.clear();
        }
        settle(batch, new Backoff(writer.environment(), Duration.ofMillis(200), Duration.ofSeconds(10)));
    }

    private void settle(List<Pending> batch, Backoff again) {
        List<Pending> left = batch;
        try {
            if (writer.copies().areSeveral()) {
                left = batch.stream().map(Pending::withdrawn).toList();
                left = writeAll(locateAll(left));
            } else {
                left = giveBackAll(batch);
            }
        } catch (RuntimeException | Error trouble) {
            log.debug("{} claims are taken back later: {}", batch.size(), trouble.toString());
        }
        tryAgain(left, batch.size() - left.size(), again);
    }

    private synchronized void tryAgain(List<Pending> left, int settled, Backoff again) {
        remembered -= settled;
        if (!left.isEmpty() && !closed) {
            lane.schedule(again.next(), () -> settle(left, again));
        }
    }

    /** Gives back claims on the only copy. A job with several doubtful claims is read once. */
    private List<Pending> giveBackAll(List<Pending> round) {
        List<String> ids = round.stream().map(one -> one.id.docId()).distinct().toList();
        List<Optional<ObjectNode>> found = writer.database().getAll(ids);
        return round.stream()
                .filter(one -> one.lost != null
                        && !isGivenBack(
                                one.lost, found.get(ids.indexOf(one.id.docId())).flatMap(JobDocument::job)))
                .toList();
    }

    private static boolean isGivenBack(LostClaim claim, Optional<Job> present) {
        try {
            if (present.filter(job -> job.isLockedBy(claim.token())).isPresent()) {
                claim.giveBack(present.get());
                return true;
            }
            if (present.filter(job -> job.rev().equals(claim.job().rev())).isPresent()) {
                return claim.isLeaseOver();
            }
            claim.isNone();
            return true;
        } catch (RuntimeException trouble) {
            log.debug("the claim of {} is given back later: {}", claim.job().id(), trouble.toString());
            return false;
        }
    }

    /**
     * Finds the leaves of the claims whose revision is unknown. Claims that are not found are looked up again later, a few
     * times.
     */
    private List<Pending> locateAll(List<Pending> round) {
        List<Pending> located = new ArrayList<>();
        for (Pending one : round) {
            if (one.leaf != null) {
                located.add(one);
            } else {
                locate(one).ifPresentOrElse(located::add, () -> conflicts.look(one.id));
            }
        }
        return located;
    }

    private Optional<Pending> locate(Pending one) {
        try {
            Optional<Job> leaf = Leaves.read(writer.database(), one.id).leftBy(one.token);
            return leaf.isPresent()
                    ? leaf.filter(found -> !found.isWithdrawn()).map(one::storedAs)
                    : Optional.of(one.lookedFor()).filter(more -> more.looks < MOST_LOOKS);
        } catch (MalformedDocumentException overwritten) {
            return Optional.empty();
        } catch (CouchException away) {
            return Optional.of(one);
        }
    }

    /** Withdraws the claims whose leaves are known, in one request. Returns the claims to be tried again. */
    private List<Pending> writeAll(List<Pending> round) {
        Map<Pending, CompletableFuture<WriteResult>> writes = new LinkedHashMap<>();
        List<Pending> left = new ArrayList<>();
        for (Pending one : round) {
            if (one.leaf != null) {
                ClusterTransitions.withdraw(one.leaf, one.reason, one.now)
                        .write()
                        .ifPresent(job -> writes.put(one, writer.writeSoon(job.toDocument())));
            } else {
                left.add(one);
            }
        }
        writes.forEach((one, write) -> {
            if (isSettled(one, write)) {
                conflicts.look(one.id);
            } else {
                left.add(one.unlocated());
            }
        });
        return left;
    }

    /**
     * Returns whether a withdrawal was written. It need not be confirmed by a quorum, because the resolution of the conflict
     * does that.
     */
    private boolean isSettled(Pending one, CompletableFuture<WriteResult> write) {
        try {
            WriteResult written = writer.join(write);
            if (written instanceof WriteResult.Refused refused) {
                log.debug("the claim of {} is not withdrawn: {}", one.id, refused.reason());
            }
            return !(written instanceof WriteResult.Conflict);
        } catch (CouchException unknown) {
            return false;
        }
    }

    /**
     * A claim to be taken back.
     *
     * @param leaf the claimed job; null while it is unknown whether and with which revision the claim is stored
     * @param lost the claim; null after its withdrawal has begun
     * @param looks how often the claim was looked up without success
     */
    private record Pending(
            JobId id,
            String token,
            @Nullable Job leaf,
            @Nullable LostClaim lost,
            String reason,
            Instant now,
            int looks) {
        /** Notifies the worker, once. */
        Pending withdrawn() {
            if (lost != null) {
                lost.isWithdrawn();
            }
            return new Pending(id, token, leaf, null, reason, now, looks);
        }

        Pending storedAs(Job found) {
            return new Pending(id, token, found, null, reason, now, looks);
        }

        Pending unlocated() {
            return new Pending(id, token, null, null, reason, now, Math.max(looks, MOST_LOOKS / 2));
        }

        Pending lookedFor() {
            return new Pending(id, token, null, null, reason, now, looks + 1);
        }
    }
}
