package io.couchjobs.engine.gc;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.GarbageCollection;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.history.HistoryKeeper;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies retention regularly. Every process with a worker has a sweeper. Every ten minutes one of all the sweepers deletes
 * the jobs that retention does not keep. Thread-safe.
 *
 * <p>The sweepers take turns by a document {@code gc:lease} (of a site, {@code gc:lease:SITE}): the process that writes it
 * sweeps. Checking whether it is time costs one request, and a sweep that finds nothing costs a dozen. A worker that has
 * claimed nothing since its last check checks once an hour. A sweep does not purge or compact, because this needs an
 * administrator and disk space; {@link GarbageCollection} does both.
 */
public final class Sweeper implements AutoCloseable {
    static final String LEASE = "gc:lease";
    static final Duration PERIOD = Duration.ofMinutes(10);

    private static final Logger log = LoggerFactory.getLogger(Sweeper.class);
    private static final Duration FIRST = Duration.ofMinutes(1);
    private static final Duration IDLE = Duration.ofHours(1);

    private final QueueParts parts;
    private final String worker;
    private final CouchDatabase database;
    private final String leaseId;
    private final Retirement retirement;
    private final Marks marks;
    private final HistoryKeeper history;
    private final LongSupplier claims;
    private final Environment environment;
    private final Lane lane;

    // Only the lane uses the fields below.
    private boolean troubled;
    private boolean looked;
    private long lookedNanos;
    private long claimsThen;

    /**
     * Creates a sweeper. Does no I/O.
     *
     * @param claims the number of jobs that the worker has claimed so far
     */
    public Sweeper(QueueParts parts, String worker, LongSupplier claims) {
        this.parts = parts;
        this.worker = worker;
        this.claims = claims;
        this.database = parts.store().database();
        this.leaseId = LEASE + parts.store().site().suffix();
        this.retirement = new Retirement(parts);
        this.marks = new Marks(database, parts.clock());
        this.history = new HistoryKeeper(parts);
        this.environment = parts.store().environment();
        this.lane = environment.lane("couchjobs-sweeper-" + worker, 1);
    }

    /** Starts to check for its turn after a minute or two. A worker that lives shorter leaves sweeping to others. */
    public void start() {
        plan(FIRST);
    }

    @Override
    public void close() {
        lane.close();
    }

    private void plan(Duration pause) {
        lane.schedule(pause.plus(random(FIRST)), this::run);
    }

    private void run() {
        try {
            plan(nextOrTrouble());
        } catch (InterruptedException end) {
            log.debug("worker {} sweeps no more", worker);
        }
    }

    private Duration nextOrTrouble() throws InterruptedException {
        try {
            Duration pause = next();
            troubled = false;
            return pause;
        } catch (RuntimeException | Error e) {
            if (!troubled && !lane.isClosed()) {
                log.warn("finished jobs cannot be deleted now, trying again later: {}", e.getMessage());
            }
            troubled = true;
            return PERIOD;
        }
    }

    /**
     * Checks whether it is time to sweep, unless this worker checked within the last hour and has claimed no job since.
     * Returns how long to wait.
     */
    Duration next() throws InterruptedException {
        long now = parts.clock().nanos();
        long claimed = claims.getAsLong();
        if (looked && claimed == claimsThen && now - lookedNanos < IDLE.toNanos()) {
            return PERIOD;
        }
        Duration pause = turn();
        looked = true;
        lookedNanos = now;
        claimsThen = claimed;
        return pause;
    }

    /** Sweeps if it is time and no other process does. Returns how long to wait before the next check. */
    Duration turn() throws InterruptedException {
        Instant now = parts.clock().instant();
        Optional<ObjectNode> last = database.get(leaseId);
        Duration left = last.map(lease -> left(lease, now)).orElse(Duration.ZERO);
        if (!left.isZero()) {
            return left;
        }
        ObjectNode lease =
                last.orElseGet(() -> JsonNodeFactory.instance.objectNode().put("_id", leaseId));
        if (isTaken(lease)) {
            sweep(lease);
        }
        return PERIOD;
    }

    private boolean isTaken(ObjectNode lease) {
        lease.put("worker", worker).put("at", parts.clock().instant().toEpochMilli());
        if (database.put(lease) instanceof WriteResult.Stored stored) {
            lease.put("_rev", stored.rev());
            return true;
        }
        return false;
    }

    private void sweep(ObjectNode lease) throws InterruptedException {
        Instant now = parts.clock().instant();
        Map<String, Long> deleted = new TreeMap<>();
        retirement.run(now.minus(Retirement.LAG), now, deleted, count -> keep(lease));
        if (!deleted.isEmpty()) {
            log.info("deleted finished jobs, as the retention of their types says: {}", deleted);
        }
        history.tidy();
        if (database.info().deletedDocCount() > 0) {
            marks.add();
        }
    }

    /** Renews the turn, because a sweep may take longer. Two sweeps at the same time would be harmless, but twice the work. */
    private void keep(ObjectNode lease) {
        Duration left = left(lease, parts.clock().instant());
        if (left.compareTo(PERIOD.dividedBy(2)) < 0 && !isTaken(lease)) {
            log.debug("worker {} does not have the turn any more, and ends its sweep all the same", worker);
        }
    }

    /**
     * Returns how long a turn still lasts. Clocks differ a little. A turn from far in the future was written by a clock
     * that was wrong.
     */
    private static Duration left(ObjectNode lease, Instant now) {
        Duration age = Duration.between(Instant.ofEpochMilli(lease.path("at").asLong()), now)
                .abs();
        return age.compareTo(PERIOD) >= 0 ? Duration.ZERO : PERIOD.minus(age);
    }

    private Duration random(Duration most) {
        return Duration.ofMillis(environment.random().nextLong(most.toMillis()));
    }
}
