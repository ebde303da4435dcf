package io.couchjobs.engine.conflict;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.registry.SignOfLife;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobWriter;
import io.couchjobs.engine.store.MajorityProbe;
import io.couchjobs.engine.store.Owner;
import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.Job;
import io.couchjobs.job.Lock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds leaves of conflicts whose owner may be gone: a worker that is dead, or a worker of this process that does not
 * know the claim any more. The activity monitor sees only the leaf that readers see. Thread-safe.
 *
 * <p>Like the monitor, this class compares no clocks. It remembers since when a leaf and its worker's registration are
 * unchanged.
 */
final class AbandonedClaims {
    private static final int MOST = 10_000;
    /**
     * The wait before a claim counts as forgotten by a worker of this process: the claim may be on its way, or about to
     * be withdrawn.
     */
    private static final Duration FORGOTTEN = Duration.ofSeconds(10);

    private static final Duration MOST_JITTER = Duration.ofSeconds(10);

    private final CouchDatabase database;
    private final MajorityProbe majority;
    private final SettingsStore settings;
    private final ServerClock clock;
    private final Set<String> claimsUnderWay;
    private final Map<String, Owner> owners = new ConcurrentHashMap<>();
    private final Map<String, Seen> seen = RecentMap.byAge(MOST);

    AbandonedClaims(JobWriter writer, SettingsStore settings, ServerClock clock) {
        this.database = writer.database();
        this.majority = writer.majority();
        this.claimsUnderWay = writer.claimsUnderWay();
        this.settings = settings;
        this.clock = clock;
    }

    /** Notes that a worker of this process has begun. */
    void join(Owner owner) {
        owners.put(owner.worker(), owner);
    }

    void leave(Owner owner) {
        owners.remove(owner.worker(), owner);
    }

    boolean hasOwners() {
        return !owners.isEmpty();
    }

    /**
     * Returns whether the claim of a leaf has no living owner.
     *
     * @param leaf the job as one leaf of a conflict has it, owned
     */
    boolean isNobodys(Job leaf) {
        Optional<Lock> lock = leaf.lock().filter(any -> !leaf.isWithdrawn() && hasOwners());
        if (lock.isEmpty()) {
            return false;
        }
        Owner own = owners.get(lock.get().worker());
        // Checked once more after the reads: for a moment before its run is known, a claim is neither under way nor
        // held.
        return !isHeld(lock.get(), own)
                && isSilentFor(own == null ? timeout(leaf) : FORGOTTEN, leaf, lock.get())
                && isSilentStill(leaf, lock.get(), own != null)
                && !isHeld(lock.get(), own);
    }

    private boolean isHeld(Lock lock, @Nullable Owner own) {
        return claimsUnderWay.contains(lock.token())
                || (own != null && own.holds().test(lock.token()));
    }

    /** Returns how long it takes until the claim can be known to have no owner. */
    Duration timeout(Job leaf) {
        Duration timeout = settings.timeoutOf(leaf.type());
        Duration half = timeout.dividedBy(2);
        return timeout.plus(half.compareTo(MOST_JITTER) < 0 ? half : MOST_JITTER);
    }

    private boolean isSilentFor(Duration patience, Job leaf, Lock lock) {
        SignOfLife registration = registration(lock);
        synchronized (seen) {
            Seen now = new Seen(registration, patience, clock.nanos());
            Seen before = seen.get(key(leaf));
            if (before == null || !before.isAs(now)) {
                seen.put(key(leaf), now);
                return false;
            }
            return now.nanos - before.nanos > patience.toNanos();
        }
    }

    /**
     * Returns whether a majority shows the leaf and the registration unchanged. The earlier reads may be outdated: a
     * node that is cut off shows the only copy that it has. An owner without a registration gives its signs of life by
     * writing the leaf.
     */
    private boolean isSilentStill(Job leaf, Lock lock, boolean isOurs) {
        Optional<SignOfLife> registration = majority.read(
                        List.of(leaf.id().docId(), DocIds.WORKER + lock.worker()),
                        () -> isThere(leaf) ? Optional.of(registration(lock)) : Optional.<SignOfLife>empty())
                .flatMap(Function.identity());
        synchronized (seen) {
            Seen before = seen.get(key(leaf));
            return registration.isPresent()
                    && (isOurs || (before != null && before.registration.equals(registration.get())));
        }
    }

    private boolean isThere(Job leaf) {
        String rev = leaf.rev().orElse("");
        return database.leaves(leaf.id().docId()).stream()
                .anyMatch(other -> other.path(Field.REV).asText().equals(rev));
    }

    /**
     * Returns the registration of the claim's worker. The registration of a worker of this process does not count: its
     * changes are signs of life for the claims that the worker holds, not for this one.
     */
    private SignOfLife registration(Lock lock) {
        return owners.containsKey(lock.worker()) ? SignOfLife.NONE : SignOfLife.read(database, lock.worker());
    }

    private static String key(Job leaf) {
        return leaf.id().docId() + " " + leaf.rev().orElse("");
    }

    /**
     * What was seen of a leaf, and when. The time counts anew when the timeout changes: the owner may still send its
     * signs of life by the former timeout.
     */
    private record Seen(SignOfLife registration, Duration patience, long nanos) {
        boolean isAs(Seen other) {
            return registration.equals(other.registration) && patience.equals(other.patience);
        }
    }
}
