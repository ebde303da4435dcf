package io.couchjobs.engine.trigger;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.time.Alarm;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.trigger.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A database that a trigger follows. Runs the slices of its {@link SourceFollower}, one after the other. Thread-safe. */
final class FollowedDatabase {
    private static final Logger log = LoggerFactory.getLogger(FollowedDatabase.class);
    /**
     * Bounds the growing pauses between reads of a database that has no connection of its own and is not covered by the server's
     * news.
     */
    private static final Duration SHORTEST_REST = Duration.ofSeconds(1);

    private static final Duration LONGEST_REST = Duration.ofSeconds(15);

    private final Following following;
    private final FollowerTools tools;
    private final Trigger trigger;
    private final String name;
    private final CouchDatabase database;
    private final Taker taker;
    private final Backoff troubles;
    private final Backoff rests;
    private final Alarm alarm;
    private volatile boolean isMoved;
    private volatile @Nullable SourceFollower follower;
    private volatile @Nullable Instant caughtUp;

    private boolean isForgotten;
    private boolean isRunning;
    private boolean isWoken;
    /** Whether no slice runs or is planned, until {@link #wake} is called. */
    private boolean isResting;

    // Used only by slices, which run one at a time.
    private boolean listens;
    private boolean wasMissing;
    private boolean isGone;
    private boolean wasMoved;

    FollowedDatabase(
            Following following,
            FollowerTools tools,
            Trigger trigger,
            String name,
            CouchDatabase database,
            Taker taker) {
        this.following = following;
        this.tools = tools;
        this.trigger = trigger;
        this.name = name;
        this.database = database;
        this.taker = taker;
        this.troubles = new Backoff(tools.environment(), Following.SHORTEST_PAUSE, Following.LONGEST_PAUSE);
        this.rests = new Backoff(tools.environment(), SHORTEST_REST, LONGEST_REST);
        this.alarm = Alarm.immediate(following.lane(), this::slice);
    }

    /**
     * Starts a slice, or another one after the running one. Returns false when the database was deleted and is no longer followed.
     */
    synchronized boolean wake() {
        if (isForgotten) {
            return false;
        }
        if (isRunning) {
            isWoken = true;
        } else {
            isResting = false;
            alarm.now();
        }
        return true;
    }

    /**
     * Begins a slice. Returns false when a slice already runs, which another one then follows, or when the database is no longer
     * followed.
     */
    private synchronized boolean begins() {
        if (isForgotten) {
            return false;
        }
        if (isRunning) {
            isWoken = true;
            return false;
        }
        isRunning = true;
        isWoken = false;
        return true;
    }

    /** Plans the next slice. It starts at once if {@link #wake} was called during the last slice. */
    private synchronized void ended(Optional<Duration> pause) {
        isRunning = false;
        isForgotten = isGone && !isWoken;
        if (isForgotten) {
            following.forget(name, this);
        }
        Optional<Duration> next = isWoken ? Optional.of(Duration.ZERO) : pause;
        isResting = next.isEmpty();
        if (following.goesOn()) {
            next.ifPresent(alarm::within);
        }
    }

    /**
     * Handles a write of a document. Lets the next slice read the position again if another process wrote it, or if no position is
     * known yet.
     */
    void moved(String docId, String rev) {
        SourceFollower known = follower;
        boolean isNews = docId.equals(Position.docId(trigger.name(), name))
                && (known == null
                        || Rev.generation(rev) > Rev.generation(known.position().rev()));
        if (isNews) {
            isMoved = true;
            boolean unused = wake();
        }
    }

    private void slice() {
        if (begins()) {
            ended(guarded());
        }
    }

    private Optional<Duration> guarded() {
        isGone = false;
        try {
            Optional<Duration> pause = follow();
            troubles.reset();
            return pause;
        } catch (Positions.MovedException elsewhere) {
            follower = null;
            wasMoved = true;
            return Optional.of(troubles.next());
        } catch (CouchNotFoundException missing) {
            wasMissing = true;
            isGone = isTold(); // a new creation of the database would be news
            if (!isGone) {
                return Optional.of(troubled(missing));
            }
            var unused = following.settle(name);
            return Optional.empty();
        } catch (RuntimeException | Error trouble) {
            return Optional.of(troubled(trouble));
        } finally {
            endListening();
        }
    }

    /** Runs a slice. Returns the time until the next slice; empty when none is needed until {@link #wake} is called. */
    private Optional<Duration> follow() {
        if (isMoved) {
            isMoved = false;
            wasMoved |= follower != null;
            follower = null;
        }
        // The positions of a removed trigger may be deleted before this process learns of the removal. Then this
        // process must not create a position, which the next trigger of that name would find. A trigger with a new
        // connection must not find a position on its former server either.
        if (wasMoved && !tools.isFollowed(trigger)) {
            following.end();
            return Optional.empty();
        }
        wasMoved = false;
        SourceFollower known = follower;
        if (known == null) {
            Position position = tools.starts().position(trigger, name, database, wasMissing);
            if (position.last().isEmpty() && following.endIfRemoved()) {
                return Optional.empty();
            }
            known = new SourceFollower(tools, database, position, taker);
            follower = known;
        }
        Optional<Duration> sleep = untilNextPeriod(known);
        if (sleep.isPresent()) {
            return sleep;
        }
        Instant began = tools.clock().instant();
        String before = known.position().seq();
        Optional<Duration> pause = known.slice(this::mayListen, () -> following.goesOn() && !isMoved);
        if (known.hasTakenAll()) {
            if (hasTimes() && !isTold()) {
                known.store(began);
            }
            caughtUp = began;
        }
        return isTold()
                ? pause
                : Optional.of(rest(pause, !before.equals(known.position().seq())));
    }

    private Duration rest(Optional<Duration> pause, boolean hasMoved) {
        if (hasMoved) {
            rests.reset();
        }
        Duration longest = rests.next();
        return pause.filter(soon -> soon.compareTo(longest) < 0).orElse(longest);
    }

    /** Returns whether the server's news include this database. */
    private boolean isTold() {
        return trigger.isPattern() && !isEnds();
    }

    /**
     * Returns how long a trigger with cron times sleeps; empty without cron times, or when a cron time has passed since all changes
     * were taken.
     */
    private Optional<Duration> untilNextPeriod(SourceFollower known) {
        if (!hasTimes()) {
            return Optional.empty();
        }
        Instant now = tools.clock().instant();
        Instant since = caughtUp(known, now);
        Optional<Duration> left =
                trigger.period().flatMap(period -> period.next(since)).map(next -> Duration.between(now, next));
        if (left.filter(rest -> rest.isNegative() || rest.isZero()).isPresent()) {
            return Optional.empty();
        }
        return Optional.of(
                left.filter(rest -> rest.compareTo(Following.LONGEST_PAUSE) < 0).orElse(Following.LONGEST_PAUSE));
    }

    private boolean hasTimes() {
        return trigger.period().isPresent() && !isEnds();
    }

    private boolean isEnds() {
        return name.equals(Positions.ENDS);
    }

    /**
     * Returns the last time at which no change was left. The time that is stored for the whole pattern counts, too, because
     * databases without changes are not read at the cron times.
     */
    private Instant caughtUp(SourceFollower known, Instant now) {
        Instant own = caughtUp;
        if (own == null) {
            Position position = known.position();
            own = known.isBehind()
                    ? Instant.EPOCH
                    : position.last().or(position::since).orElse(now);
            caughtUp = own;
        }
        Instant all = known.isBehind() ? own : following.caughtUp();
        return all.isAfter(own) ? all : own;
    }

    /**
     * Returns whether this database allows to store for the whole pattern that no changes were left at a time. It does if it has no
     * changes left, or if its own position says that it has some.
     */
    synchronized boolean hasCaughtUp(Instant time) {
        Instant own = caughtUp;
        SourceFollower known = follower;
        return !hasTimes() || isResting || (own != null && !own.isBefore(time)) || (known != null && known.isBehind());
    }

    private boolean mayListen() {
        boolean may = isEnds() || (following.areFew() && trigger.period().isEmpty());
        if (may && !listens) {
            listens = tools.sources().listening().tryAcquire();
        }
        return may && listens;
    }

    private void endListening() {
        if (listens) {
            listens = false;
            tools.sources().listening().release();
        }
    }

    private Duration troubled(Throwable trouble) {
        if (!following.goesOn()) {
            return Following.LONGEST_PAUSE;
        }
        String problem = trouble instanceof Error ? trouble.toString() : String.valueOf(trouble.getMessage());
        if (troubles.attempts() == 0) {
            log.warn("trigger {} cannot follow {}, trying again until it can: {}", trigger.name(), name, problem);
            log.debug("the cause", trouble);
        }
        if (troubles.attempts() == Following.NOTED_ATTEMPT) {
            note(problem);
        }
        return troubles.next();
    }

    private void note(String problem) {
        SourceFollower known = follower;
        if (known == null) {
            following.note(name, problem);
            return;
        }
        try {
            known.note(Optional.of(problem));
        } catch (RuntimeException | Error alsoAway) {
            log.debug("the problem of trigger {} cannot be noted: {}", trigger.name(), alsoAway.toString());
        }
    }
}
