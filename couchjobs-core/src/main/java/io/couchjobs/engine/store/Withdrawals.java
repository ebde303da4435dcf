package io.couchjobs.engine.store;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.MalformedJobException;
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
 * Takes claims back that were stored, or may have been, without making an owner. It tries in the background, again and
 * again, until the withdrawal is stored, the claim's leaf is gone, or this is closed. A claim left then is found when
 * its conflict is resolved. Thread-safe; remembers a bounded number.
 */
public final class Withdrawals implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Withdrawals.class);
    private static final int MOST = 10_000;
    /** How often a claim whose answer was lost is looked for, with growing pauses: it may still be on its way. */
    private static final int MOST_LOOKS = 6;

    private final JobStore store;
    private final Copies copies;
    private final List<Pending> fresh = new ArrayList<>();
    private final Lane lane;
    private int remembered;
    private boolean planned;
    private boolean closed;

    Withdrawals(JobStore store, Copies copies) {
        this.store = store;
        this.copies = copies;
        this.lane = store.environment().lane("couchjobs-withdrawals", 1);
    }

    /** Takes back a claim that was stored as the revision it carries. */
    public void withdraw(Job claim, String reason, Instant now) {
        String token = claim.lock().orElseThrow().token();
        add(new Pending(claim.id(), token, claim, reason, now, 0));
    }

    /** Takes back a claim that may or may not have been stored. */
    public void withdrawIfStored(JobId id, String token, String reason, Instant now) {
        add(new Pending(id, token, null, reason, now, 0));
    }

    @Override
    public synchronized void close() {
        closed = true;
        fresh.clear();
        lane.close();
    }

    private synchronized void add(Pending one) {
        if (closed || remembered >= MOST) {
            return;
        }
        remembered++;
        fresh.add(one);
        if (!planned) {
            planned = true;
            lane.execute(this::takeFresh);
        }
    }

    private void takeFresh() {
        List<Pending> batch;
        synchronized (this) {
            batch = List.copyOf(fresh);
            fresh.clear();
            planned = false;
        }
        settle(batch, new Backoff(store.environment(), Duration.ofMillis(200), Duration.ofSeconds(10)));
    }

    private void settle(List<Pending> batch, Backoff again) {
        List<Pending> left = batch;
        try {
            left = copies.areSeveral() ? writeAll(locateAll(batch)) : List.of();
        } catch (RuntimeException | Error trouble) {
            log.debug("{} claims are withdrawn later: {}", batch.size(), trouble.toString());
        }
        tryAgain(left, batch.size() - left.size(), again);
    }

    private synchronized void tryAgain(List<Pending> left, int settled, Backoff again) {
        remembered -= settled;
        if (!left.isEmpty() && !closed) {
            lane.schedule(again.next(), () -> settle(left, again));
        }
    }

    /** Finds the leaves of the claims whose revision is not known; those that are not there stay as they are for a while. */
    private List<Pending> locateAll(List<Pending> round) {
        List<Pending> located = new ArrayList<>();
        for (Pending one : round) {
            if (one.leaf != null) {
                located.add(one);
            } else {
                locate(one).ifPresentOrElse(located::add, () -> store.look(one.id));
            }
        }
        return located;
    }

    private Optional<Pending> locate(Pending one) {
        try {
            Optional<Job> leaf = store.leaves(one.id).leftBy(one.token);
            return leaf.isPresent()
                    ? leaf.filter(found -> !found.isWithdrawn()).map(one::storedAs)
                    : Optional.of(one.lookedFor()).filter(more -> more.looks < MOST_LOOKS);
        } catch (MalformedJobException overwritten) {
            return Optional.empty();
        } catch (CouchException away) {
            return Optional.of(one);
        }
    }

    /** Writes the located ones, all in one request; returns those to be tried again. */
    private List<Pending> writeAll(List<Pending> round) {
        Map<Pending, CompletableFuture<WriteResult>> writes = new LinkedHashMap<>();
        List<Pending> left = new ArrayList<>();
        for (Pending one : round) {
            if (one.leaf != null) {
                Transitions.withdraw(one.leaf, one.reason, one.now)
                        .write()
                        .ifPresent(job -> writes.put(one, store.writeSoon(job.toDocument())));
            } else {
                left.add(one);
            }
        }
        writes.forEach((one, write) -> {
            if (isSettled(one, write)) {
                store.look(one.id);
            } else {
                left.add(one.unlocated());
            }
        });
        return left;
    }

    /** A withdrawal without a quorum's confirmation counts as settled: the resolution of the conflict confirms it. */
    private boolean isSettled(Pending one, CompletableFuture<WriteResult> write) {
        try {
            WriteResult written = store.join(write);
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
     * @param leaf the job as the claim left it; null while it is not known whether and where that is stored
     * @param looks how often it was looked for in vain
     */
    private record Pending(JobId id, String token, @Nullable Job leaf, String reason, Instant now, int looks) {
        Pending storedAs(Job found) {
            return new Pending(id, token, found, reason, now, looks);
        }

        Pending unlocated() {
            return new Pending(id, token, null, reason, now, Math.max(looks, MOST_LOOKS / 2));
        }

        Pending lookedFor() {
            return new Pending(id, token, null, reason, now, looks + 1);
        }
    }
}
