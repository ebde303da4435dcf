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
 * <p>A few databases are listened to, each on a connection of its own. Many are read in turns, by {@value #PLACES} threads, when there is
 * news of them. One that cannot be read is tried again in growing pauses, and holds up no other.
 */
final class Following implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Following.class);
    private static final int PLACES = 8;
    private static final Duration TICK = Duration.ofSeconds(1);
    /** A step that has begun ends with its position stored, unless it takes longer. */
    private static final Duration STEP = Duration.ofSeconds(3);

    static final Duration SHORTEST_PAUSE = Duration.ofMillis(250);
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /** A trouble that lasts for more attempts than this is noted. */
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
    /** Whether a problem of the pattern may be noted. An earlier follower may have noted one. Used by the thread that looks for databases. */
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

    /** Follows until the trigger changes, or this process is not its follower any more. */
    void run() throws InterruptedException {
        trigger.writeBack().ifPresent(place -> {
            // Before the sources are followed: their jobs may end at once.
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

    /** Waits for news in a thread of its own, because the server may take half a minute to answer that there is none. */
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

    /** False when the databases could not be listed, and have to be listed anew. */
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
     * Ends if the trigger was removed, and then removes the positions once more. This process may have begun one after the removal, and the
     * next trigger of that name must not find it.
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

    /** Looks once more at the end of a thread, which may have begun a position while the trigger was being removed. */
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

    /** Strikes out the problem of the pattern. */
    private void settle() {
        if (mayBeNoted) {
            mayBeNoted = !settle(trigger.source());
        }
    }

    /** Strikes out the problem of a source; false when that cannot be done now. */
    boolean settle(String source) {
        return isDone(() -> tools.troubles().settle(trigger, source));
    }

    private void settleOthers(Set<String> names) {
        Set<String> followed = new HashSet<>(names);
        followed.add(trigger.source());
        boolean unused = isDone(() -> tools.troubles().settleOthers(trigger, followed));
    }

    /** Notes the problem of the pattern, or of a database that has no position. */
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

    /** Quiet databases are not read at the times of a cron. One note says for all of them that nothing was left at such a time. */
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

    /** The last time at which no database of a pattern had changes left, or when the following began; the epoch when neither is known. */
    Instant caughtUp() {
        return caughtUp;
    }

    /**
     * Whether this process still follows. Once it has ended, it stays so even if a late renewal brings the lease back: some threads have
     * ended by then, and others have not.
     */
    boolean goesOn() {
        if (!isOwner.getAsBoolean()) {
            end();
        }
        return !over;
    }

    /** Ends the following. */
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

    /** Forgets a deleted database. When it comes back, it is followed as a new one. */
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

    /** Whether a trigger has the content of the followed one. */
    boolean isOf(Trigger other) {
        return content(trigger).equals(content(other));
    }

    private static ObjectNode content(Trigger trigger) {
        return trigger.toDocument().without(SharedLeaf.OF_ONE_REVISION);
    }

    /** Hears that the document of the trigger, or of one of its positions, was written. */
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

    /** Whether each database can have a thread and a connection of its own. */
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
