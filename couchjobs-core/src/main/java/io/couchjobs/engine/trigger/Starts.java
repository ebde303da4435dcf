package io.couchjobs.engine.trigger;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.DatabaseInfo;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.trigger.Trigger;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Decides where the following of a database begins. Thread-safe.
 *
 * <p>Databases that exist when a trigger is made begin where the trigger says. A database that is created later begins with its
 * first change.
 */
final class Starts {
    private final Positions positions;
    private final Troubles troubles;
    private final InstantSource clock;
    private final Predicate<Trigger> isFollowed;

    /** @param isFollowed whether a trigger still has its source and its connection */
    Starts(Positions positions, Troubles troubles, InstantSource clock, Predicate<Trigger> isFollowed) {
        this.positions = positions;
        this.troubles = troubles;
        this.clock = clock;
        this.isFollowed = isFollowed;
    }

    /**
     * Returns the position of a database, and creates it if necessary. A position on the server of another connection is ignored.
     *
     * @param later whether the database did not exist before
     * @throws Positions.MovedException when the trigger has another connection by now, and the stored position belongs to that
     *     connection
     */
    Position position(Trigger trigger, String name, CouchDatabase database, boolean later) {
        Optional<Position> known = positions.read(trigger.name(), name);
        if (known.filter(position -> isOf(trigger, position)).isPresent()) {
            return known.get();
        }
        DatabaseInfo info = database.info();
        Optional<Position> noted = troubles.of(trigger, name);
        String from = later ? Position.BEGINNING : from(trigger, name, noted);
        Position first = begin(trigger, name, seq(from, info), info.created());
        if (noted.isPresent()) {
            troubles.settle(trigger, name);
        }
        return first;
    }

    private String from(Trigger trigger, String name, Optional<Position> noted) {
        if (name.equals(Positions.ENDS)) {
            return "now";
        } else if (!isBegun(trigger)) {
            return trigger.from();
        }
        return noted.filter(position -> position.isOf(trigger))
                .map(Position::seq)
                .orElse(Position.BEGINNING);
    }

    /**
     * Returns whether a position belongs to the trigger's connection. The ends always do, because they are read from the queue's
     * own server.
     */
    private static boolean isOf(Trigger trigger, Position position) {
        return position.database().equals(Positions.ENDS) || position.isOf(trigger);
    }

    private boolean isBegun(Trigger trigger) {
        return trigger.isPattern()
                && started(trigger).filter(started -> started.isOf(trigger)).isPresent();
    }

    private Optional<Position> started(Trigger trigger) {
        return positions.read(trigger.name(), Positions.STARTED);
    }

    /**
     * Creates the positions of the databases of a pattern that exist when the trigger begins. When the pattern has changed, the
     * databases that only the new pattern matches begin now, too. A database that cannot be read begins in the same way as soon as
     * it can be read.
     *
     * @throws Positions.MovedException when the trigger has another pattern or connection by now
     */
    void begin(Trigger trigger, CouchServer server, Collection<String> databases) {
        if (isBegun(trigger)) {
            return;
        }
        Map<String, DatabaseInfo> infos = Databases.infos(server, List.copyOf(databases));
        for (String name : databases) {
            Optional.ofNullable(infos.get(name))
                    .or(() -> infoOrNote(trigger, server, name))
                    .ifPresent(info -> {
                        Position unused = begin(trigger, name, seq(trigger.from(), info), info.created());
                    });
        }
        Position unused = begin(trigger, Positions.STARTED, Position.BEGINNING, 0);
    }

    /**
     * Asks for one database alone: in a request for several, the server reports each database that it cannot describe as missing.
     * Stores the problem if the database exists but cannot be read.
     */
    private Optional<DatabaseInfo> infoOrNote(Trigger trigger, CouchServer server, String name) {
        try {
            return Optional.of(server.database(name).info());
        } catch (CouchNotFoundException deleted) {
            return Optional.empty();
        } catch (CouchUnreachableException away) {
            throw away;
        } catch (CouchException ofThisDatabase) {
            troubles.note(trigger, name, trigger.from(), String.valueOf(ofThisDatabase.getMessage()));
            return Optional.empty();
        }
    }

    private Position begin(Trigger trigger, String name, String seq, long created) {
        Position first = Position.first(trigger.name(), name, seq, created).of(trigger);
        Position known = positions.begin(first.since(clock.instant()));
        return isOf(trigger, known)
                ? known
                : positions.change(known, present -> {
                    if (present.isOf(trigger)) {
                        return present;
                    } else if (!isFollowed.test(trigger)) {
                        throw new Positions.MovedException();
                    }
                    return present.restarted(seq, created, clock.instant()).of(trigger);
                });
    }

    /**
     * Returns the last stored time at which no database of a pattern had changes left, or else the time at which the following
     * began.
     */
    Optional<Instant> caughtUp(Trigger trigger) {
        return started(trigger).flatMap(started -> started.last().or(started::since));
    }

    /** Stores that no database of a pattern had changes left at a time. */
    void noteCaughtUp(Trigger trigger, Instant time) {
        Position started = Position.first(trigger.name(), Positions.STARTED, Position.BEGINNING, 0);
        Position unused =
                positions.change(started, present -> present.after(Step.none(present.seq(), List.of()), time));
    }

    static String seq(String from, DatabaseInfo info) {
        return switch (from) {
            case "now" -> info.updateSeq();
            case "beginning" -> Position.BEGINNING;
            default -> from;
        };
    }
}
