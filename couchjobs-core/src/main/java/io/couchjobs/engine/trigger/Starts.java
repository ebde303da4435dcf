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
import java.util.Set;
import java.util.function.Predicate;

/**
 * Decides where the following of a database begins. Thread-safe.
 *
 * <p>The databases that are there when a trigger is made begin where the trigger says. One that comes later begins with its first change.
 */
final class Starts {
    /** Stands for the queue's own database, where the ends of jobs are read. No database can have such a name. */
    static final String ENDS = "~ends";

    /** Its presence says that the databases of the pattern that it names have their positions. */
    static final String STARTED = "~started";

    /** Begins the names of documents that hold a problem: that of a pattern, or of a database that has no position yet, and where it begins. */
    private static final String TROUBLE = "~trouble:";

    private final Positions positions;
    private final InstantSource clock;
    private final Predicate<Trigger> isFollowed;

    /** @param isFollowed whether a trigger has its source and its connection still */
    Starts(Positions positions, InstantSource clock, Predicate<Trigger> isFollowed) {
        this.positions = positions;
        this.clock = clock;
        this.isFollowed = isFollowed;
    }

    static boolean isDatabase(String name) {
        return !name.startsWith("~");
    }

    /**
     * The position of a database; one on the server of another connection counts for nothing.
     *
     * @param later whether the database was not there before
     * @throws Positions.MovedException when it is that of another connection, which the trigger has now
     */
    Position position(Trigger trigger, String name, CouchDatabase database, boolean later) {
        Optional<Position> known = positions.read(trigger.name(), name);
        if (known.filter(position -> isOf(trigger, position)).isPresent()) {
            return known.get();
        }
        DatabaseInfo info = database.info();
        Optional<Position> noted = positions.read(trigger.name(), TROUBLE + name);
        String from = later ? Position.BEGINNING : from(trigger, name, noted);
        Position first = begin(trigger, name, seq(from, info), info.created());
        if (noted.isPresent()) {
            settle(trigger, name);
        }
        return first;
    }

    private String from(Trigger trigger, String name, Optional<Position> noted) {
        if (name.equals(ENDS)) {
            return "now";
        } else if (!isBegun(trigger)) {
            return trigger.from();
        }
        return noted.filter(position -> position.isOf(trigger))
                .map(Position::seq)
                .orElse(Position.BEGINNING);
    }

    /** The ends are read from the queue's own server. */
    private static boolean isOf(Trigger trigger, Position position) {
        return position.database().equals(ENDS) || position.isOf(trigger);
    }

    private boolean isBegun(Trigger trigger) {
        return trigger.isPattern()
                && started(trigger).filter(started -> started.isOf(trigger)).isPresent();
    }

    private Optional<Position> started(Trigger trigger) {
        return positions.read(trigger.name(), STARTED);
    }

    /**
     * Gives a position to each database of a pattern that is there when the trigger begins. When the pattern is another one than before,
     * the databases that only the new one fits begin now, too. One that cannot say where it is begins like them as soon as it can.
     *
     * @throws Positions.MovedException when the trigger has yet another pattern or connection now
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
        Position unused = begin(trigger, STARTED, Position.BEGINNING, 0);
    }

    /** A server that describes several databases says of each failure that there is no such database. */
    private Optional<DatabaseInfo> infoOrNote(Trigger trigger, CouchServer server, String name) {
        try {
            return Optional.of(server.database(name).info());
        } catch (CouchNotFoundException deleted) {
            return Optional.empty();
        } catch (CouchUnreachableException away) {
            throw away;
        } catch (CouchException ofThisDatabase) {
            note(trigger, name, trigger.from(), String.valueOf(ofThisDatabase.getMessage()));
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
                    return present.restarted(seq, created).of(trigger);
                });
    }

    /** Notes why a pattern cannot be listed, or a database that has no position cannot be followed. */
    void note(Trigger trigger, String source, String problem) {
        note(trigger, source, trigger.isPattern() ? Position.BEGINNING : trigger.from(), problem);
    }

    /** @param from where a database begins, unless an earlier note says so */
    private void note(Trigger trigger, String source, String from, String problem) {
        Position noted = Position.first(trigger.name(), TROUBLE + source, from, 0)
                .of(trigger)
                .behind(Optional.of(clock.instant()))
                .withProblem(Optional.of(problem));
        Position unused = positions.change(positions.begin(noted), present -> (present.isOf(trigger)
                        ? present
                        : present.movedTo(from).of(trigger))
                .withProblem(noted.problem()));
    }

    /** Those that have no position yet begin there when they can be read. */
    void replay(Trigger trigger, String from) {
        for (Position noted : positions.readAll(trigger.name(), TROUBLE)) {
            try {
                Position unused = positions.change(noted, present -> present.movedTo(from));
            } catch (Positions.MovedException begun) {
                // It has a position meanwhile, which is sent back as others are.
            }
        }
    }

    /** The problem of a source is over: it begins now, or it was deleted. No change waits in it then. */
    void settle(Trigger trigger, String source) {
        positions.remove(trigger.name(), TROUBLE + source);
        positions.read(trigger.name(), source).ifPresent(this::settle);
    }

    /** The problems of all others are over: the trigger does not follow them any more, or they are gone. */
    void settleOthers(Trigger trigger, Set<String> sources) {
        positions.readAll(trigger.name(), trigger.isPattern() ? "" : TROUBLE).stream()
                .filter(position -> !sources.contains(troubled(position).orElse(position.database())))
                .forEach(this::settle);
    }

    private void settle(Position position) {
        if (troubled(position).isPresent()) {
            positions.remove(position);
        } else if (isDatabase(position.database())
                && (position.problem().isPresent() || position.behindSince().isPresent())) {
            Position unused = positions.change(
                    position, present -> present.withProblem(Optional.empty()).behind(Optional.empty()));
        }
    }

    /** The name of the pattern or database whose problem a document holds; empty for those that hold positions. */
    static Optional<String> troubled(Position position) {
        String name = position.database();
        return name.startsWith(TROUBLE) ? Optional.of(name.substring(TROUBLE.length())) : Optional.empty();
    }

    /** The last time at which no database of a pattern had changes left, as far as it is noted; else when the following began. */
    Optional<Instant> caughtUp(Trigger trigger) {
        return started(trigger).flatMap(started -> started.last().or(started::since));
    }

    /** Notes that no database of a pattern had changes left at a time. */
    void noteCaughtUp(Trigger trigger, Instant time) {
        Position started = Position.first(trigger.name(), STARTED, Position.BEGINNING, 0);
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
