package io.couchjobs.engine.claim;

import io.couchjobs.engine.limit.Capacity;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.JobId;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that this process claimed without confirmation by a majority, or whose claims the database refused. The process
 * does not try such a job again for a random, growing pause. Otherwise two claimers that each reach two copies could spoil
 * each other's claims for ever.
 *
 * <p>A process claims no job at all for such a pause when it is cut off with a minority of the copies, or when all its
 * claims are confirmed too late. Otherwise it would leave a withdrawn claim on every job. Thread-safe; remembers a bounded
 * number of jobs.
 */
final class UnconfirmedClaims {
    private static final int MOST = 10_000;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(400);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(20);
    private static final long FORGET_AFTER = Duration.ofMinutes(2).toNanos();
    /** One round without success proves nothing: other claimers may have been active on every job. */
    private static final int ROUNDS_OF_WHO_IS_CUT_OFF = 2;

    private final LongSupplier nanos;
    private final Environment environment;
    private final Map<JobId, Tie> ties = RecentMap.byUse(MOST);

    private int roundsInVain;
    private @Nullable Tie everything;

    UnconfirmedClaims(LongSupplier nanos, Environment environment) {
        this.nanos = nanos;
        this.environment = environment;
    }

    /** Records that a claim of the job made no owner, but the next one may succeed. */
    void tied(JobId id) {
        boolean unused = leaveAlone(id, false);
    }

    /**
     * Records that a claim of the job was refused, and that the next one probably will be, too. Returns whether the job was
     * not remembered before.
     */
    boolean refused(JobId id) {
        return leaveAlone(id, true);
    }

    private synchronized boolean leaveAlone(JobId id, boolean isRefused) {
        long now = nanos.getAsLong();
        ties.values().removeIf(tie -> now - tie.untilNanos > FORGET_AFTER);
        boolean isFirst = !ties.containsKey(id);
        Tie tie = ties.computeIfAbsent(id, job -> new Tie());
        tie.untilNanos = now + tie.backoff.next().toNanos();
        tie.isRefused = isRefused;
        return isFirst;
    }

    /**
     * Records the result of one request. A claim was in vain when it made no owner although no write refused it: it was
     * unconfirmed, or was confirmed too late. Late confirmations mean that the servers are overloaded, so further claims
     * would be withdrawn, too.
     */
    synchronized void claimed(int claims, int inVain) {
        if (inVain < claims) {
            roundsInVain = 0;
            everything = null;
        } else if (++roundsInVain >= ROUNDS_OF_WHO_IS_CUT_OFF) {
            everything = everything == null ? new Tie() : everything;
            everything.untilNanos =
                    nanos.getAsLong() + everything.backoff.next().toNanos();
        }
    }

    /** Restricts a capacity to the jobs that may be claimed now. Returns the given capacity itself while no job is in a pause. */
    synchronized Capacity except(Capacity capacity) {
        return ties.isEmpty() && everything == null ? capacity : capacity.only(job -> isFree(job.id()));
    }

    private synchronized boolean isFree(JobId id) {
        return isOver(everything) && isOver(ties.get(id));
    }

    private boolean isOver(@Nullable Tie tie) {
        return tie == null || tie.untilNanos - nanos.getAsLong() <= 0;
    }

    /** {@return whether a job in a pause may become claimable soon} */
    synchronized boolean hasClaimableSoon() {
        return !isOver(everything) || ties.values().stream().anyMatch(tie -> !tie.isRefused && !isOver(tie));
    }

    /** {@return how long until the next pause ends} */
    synchronized Duration pause() {
        long now = nanos.getAsLong();
        if (everything != null && !isOver(everything)) {
            return Duration.ofNanos(everything.untilNanos - now);
        }
        return ties.values().stream()
                .map(tie -> tie.untilNanos - now)
                .filter(left -> left > 0)
                .min(Long::compare)
                .map(Duration::ofNanos)
                .orElse(Environment.FOREVER);
    }

    private final class Tie {
        private final Backoff backoff = new Backoff(environment, FIRST_PAUSE, LONGEST_PAUSE);
        private long untilNanos;
        private boolean isRefused;
    }
}
