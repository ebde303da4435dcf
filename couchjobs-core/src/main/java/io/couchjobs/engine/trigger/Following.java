package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.store.SharedLeaf;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.engine.time.Signal;
import io.couchjobs.schedule.Timing;
import io.couchjobs.trigger.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the databases of one trigger, as long as this process is the trigger's follower. Thread-safe.
 *
 * <p>Up to {@value #PLACES} databases are each followed on their own connection. More databases are read in turns, by {@value
 * #PLACES} threads, when they may have changed. A database that cannot be read is retried with backoff and does not delay other
 * databases.
 */
final class Following implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Following.class);
    private static final int PLACES = 8;
    private static final Duration TICK = Duration.ofSeconds(1);
    /** The maximum time for which {@link #close} waits until running steps have stored their positions. */
    private static final Duration STEP = Duration.ofSeconds(3);

    static final Duration SHORTEST_PAUSE = Duration.ofMillis(250);
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /** The number of failed attempts after which a problem is stored for the trigger's status. */
    static final int NOTED_ATTEMPT = 2;

    private final FollowerTools tools;
    private final Trigger trigger;
    private final CouchServer server;
    private final Environment environment;
    private final BooleanSupplier isOwner;
    private final Lane lane;
    private final Lane news;
    private final Signal changed;
    private final LoopGuard guard = new LoopGuard();
    private final Map<String, FollowedDatabase> databases = new ConcurrentHashMap<>();
    /**
     * Whether a problem of the pattern may be stored, perhaps by an earlier follower. Used only by the thread that looks for
     * databases.
     */
    private boolean mayBeNoted = true;

    private volatile boolean over;

    private volatile @Nullable RuntimeException failure;
    private volatile Instant caughtUp = Instant.EPOCH;

    Following(FollowerTools tools, Trigger trigger, BooleanSupplier isOwner) {
        this.tools = tools;
        this.trigger = trigger;
        this.server = tools.sources().server(trigger.connection());
        this.environment = tools.environment();
        this.isOwner = isOwner;
        this.lane = environment.lane("couchjobs-trigger-" + trigger.name(), PLACES);
        this.news = environment.lane("couchjobs-trigger-news-" + trigger.name(), 1);
        this.changed = new Signal(environment);
    }

    /** Follows the databases until the trigger changes, or until this process is no longer its follower. */
    void run() throws InterruptedException {
        trigger.writeBack().ifPresent(place -> {
            // This position must exist before the sources are followed, because their jobs may end at once.
            Position unused = tools.starts().position(trigger, Positions.ENDS, tools.queue(), false);
            follow(Positions.ENDS, tools.queue(), tools.endTaker(trigger, place));
        });
        if (trigger.isPattern()) {
            news.execute(this::followAll);
        } else {
            settleOthers(Set.of());
            follow(trigger.source());
        }
        while (goesOn()) {
            boolean unused = changed.await(TICK);
        }
        RuntimeException failed = failure;
        if (failed != null) {
            throw failed;
        }
    }

    /**
     * Waits for changed databases in a separate thread, because the server may take half a minute to answer that nothing changed.
     */
    private void followAll() {
        try {
            Databases all = new Databases(
                    server,
                    trigger,
                    tools.follows(trigger),
                    databases::containsKey,
                    environment,
                    tools.sources().listening());
            Backoff pauses = new Backoff(environment, SHORTEST_PAUSE, LONGEST_PAUSE);
            boolean isListed = false;
            while (goesOn()) {
                isListed = isAsked(all, isListed, pauses);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error unexpected) {
            failure = new IllegalStateException(
                    "the databases of trigger " + trigger.name() + " cannot be found: " + unexpected, unexpected);
            end();
        } finally {
            lookForRemoval();
        }
    }

    /** Asks once which databases changed. Returns false when the databases must be listed anew before the next call. */
    private boolean isAsked(Databases all, boolean isListed, Backoff pauses) throws InterruptedException {
        String trouble = "its databases cannot be listed: ";
        try {
            if (!isListed) {
                Set<String> names = all.all();
                tools.starts().begin(trigger, server, names);
                if (endIfRemoved()) {
                    return false;
                }
                caughtUp = tools.starts().caughtUp(trigger).orElse(caughtUp);
                settleOthers(names);
                names.forEach(this::wake);
            }
            trouble = "its databases cannot be asked for news: ";
            Instant asked = tools.clock().instant();
            all.news().forEach(this::wake);
            trigger.period().ifPresent(period -> noteCaughtUp(period, asked));
            pauses.reset();
            settle();
            return true;
        } catch (CouchException away) {
            troubled(trouble + away.getMessage(), pauses.attempts());
            pauses.pause();
            return false;
        } catch (Positions.MovedException another) {
            log.debug("trigger {} has another source or connection now", trigger.name());
            pauses.pause();
            return false;
        }
    }

    /**
     * Ends the following if the trigger was removed, and then removes the trigger's positions once more. This process may have
     * created a position after the removal, and the next trigger of that name must not find it.
     *
     * @return whether the trigger was removed
     */
    boolean endIfRemoved() {
        boolean isRemoved = tools.triggers().read(trigger.name()).isEmpty();
        if (isRemoved) {
            tools.positions().remove(trigger.name());
            end();
        }
        return isRemoved;
    }

    /**
     * Checks for a removal when a thread ends, because the thread may have created a position while the trigger was being removed.
     */
    private void lookForRemoval() {
        boolean wasInterrupted = Thread.interrupted();
        try {
            boolean unused = endIfRemoved();
        } catch (RuntimeException away) {
            log.debug("positions of trigger {} may be left: {}", trigger.name(), away.toString());
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void troubled(String problem, int attempts) {
        if (attempts == 0) {
            log.warn("trigger {} may take changes late, trying again until it works: {}", trigger.name(), problem);
        } else if (attempts == NOTED_ATTEMPT && goesOn()) {
            mayBeNoted = true;
            note(trigger.source(), problem);
        }
    }

    /** Deletes the stored problem of the pattern. */
    private void settle() {
        if (mayBeNoted) {
            mayBeNoted = !settle(trigger.source());
        }
    }

    /** Deletes the stored problem of a source. Returns false when the deletion fails. */
    boolean settle(String source) {
        return isDone(() -> tools.troubles().settle(trigger, source));
    }

    private void settleOthers(Set<String> names) {
        Set<String> followed = new HashSet<>(names);
        followed.add(trigger.source());
        boolean unused = isDone(() -> tools.troubles().settleOthers(trigger, followed));
    }

    /** Stores the problem of the pattern, or of a database that has no position. */
    void note(String source, String problem) {
        boolean unused = isDone(() -> {
            tools.troubles().note(trigger, source, problem);
            boolean unused0 = endIfRemoved();
        });
    }

    private boolean isDone(Runnable change) {
        try {
            change.run();
            return true;
        } catch (RuntimeException away) {
            log.debug("the noted problems of trigger {} cannot be changed now: {}", trigger.name(), away.toString());
            return false;
        }
    }

    /**
     * Stores that no database had changes left when a cron time passed. One document says so for all databases, because databases
     * without changes are not read at the cron times.
     */
    private void noteCaughtUp(Timing.Cron period, Instant asked) {
        Optional<Instant> time = period.next(caughtUp).filter(next -> !next.isAfter(asked));
        boolean isDue = time.isPresent()
                && goesOn()
                && databases.values().stream().allMatch(database -> database.hasCaughtUp(time.get()));
        if (isDue) {
            try {
                tools.starts().noteCaughtUp(trigger, asked);
                caughtUp = asked;
            } catch (CouchJobsException | Positions.MovedException notNow) {
                log.debug("the time of trigger {} is noted later: {}", trigger.name(), notNow.getMessage());
            }
        }
    }

    /**
     * Returns the last time at which no database of a pattern had changes left, or else the time at which the following began; the
     * epoch when neither is known.
     */
    Instant caughtUp() {
        return caughtUp;
    }

    /**
     * Returns whether this process still follows the trigger. An ended following does not resume, even if a late renewal restores
     * the lease, because some of its threads have ended by then.
     */
    boolean goesOn() {
        if (!isOwner.getAsBoolean()) {
            end();
        }
        return !over;
    }

    /** Ends this following. */
    void end() {
        over = true;
        changed.give();
    }

    private void wake(String database) {
        if (!goesOn()) {
            return;
        }
        FollowedDatabase known = databases.get(database);
        if (known == null || !known.wake()) {
            follow(database);
        }
    }

    /** Forgets a deleted database. If the database is created again, it is followed as a new one. */
    void forget(String name, FollowedDatabase deleted) {
        boolean unused = databases.remove(name, deleted);
    }

    private void follow(String name) {
        CouchDatabase database = server.database(name);
        follow(name, database, tools.jobTaker(trigger, database, guard));
    }

    private void follow(String name, CouchDatabase database, Taker taker) {
        FollowedDatabase followed = new FollowedDatabase(this, tools, trigger, name, database, taker);
        databases.put(name, followed);
        boolean unused = followed.wake();
    }

    /** Returns whether a trigger has the same content as the followed trigger. */
    boolean isOf(Trigger other) {
        return content(trigger).equals(content(other));
    }

    private static ObjectNode content(Trigger trigger) {
        return trigger.toDocument().without(SharedLeaf.OF_ONE_REVISION);
    }

    /** Handles a write of the trigger's document or of one of its positions. */
    void changed(String docId, String rev) {
        if (docId.equals(Trigger.docId(trigger.name()))) {
            end();
        } else {
            databases.values().forEach(database -> database.moved(docId, rev));
        }
    }

    Lane lane() {
        return lane;
    }

    /** Returns whether there are few enough databases for each to have its own thread and connection. */
    boolean areFew() {
        return databases.size() <= PLACES;
    }

    @Override
    public void close() {
        boolean hasEnded = over;
        over = true;
        news.close();
        lane.finish();
        try {
            boolean unused = lane.awaitEnd(STEP);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lane.close();
        if (hasEnded) {
            lookForRemoval();
        }
    }
}
