package io.couchjobs.engine.trigger;

import io.couchjobs.trigger.Trigger;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The problems of sources that have no position: of a pattern whose databases cannot be listed, and of databases that could not be read yet.
 * A document holds each. It says why, since when, and where a database begins once it can be read. Thread-safe.
 */
final class Troubles {
    private final Positions positions;
    private final InstantSource clock;

    Troubles(Positions positions, InstantSource clock) {
        this.positions = positions;
        this.clock = clock;
    }

    /** The name of the pattern or database whose problem a document holds; empty for a document that holds a position. */
    static Optional<String> source(Position document) {
        String name = document.database();
        return name.startsWith(Positions.TROUBLE)
                ? Optional.of(name.substring(Positions.TROUBLE.length()))
                : Optional.empty();
    }

    /** The documents that hold the problems of a trigger's sources, of all that are stored for it; without sources that have a position. */
    static List<Position> all(Trigger trigger, List<Position> stored) {
        List<Position> own =
                stored.stream().filter(position -> position.isOf(trigger)).toList();
        Set<String> begun = own.stream().map(Position::database).collect(Collectors.toSet());
        return own.stream()
                .filter(position -> source(position)
                        .filter(source -> !begun.contains(source))
                        .isPresent())
                .toList();
    }

    /** The document that holds the problem of a source. */
    Optional<Position> of(Trigger trigger, String source) {
        return positions.read(trigger.name(), Positions.TROUBLE + source);
    }

    /** Notes why a pattern cannot be listed, or a database that has no position cannot be followed. */
    void note(Trigger trigger, String source, String problem) {
        note(trigger, source, trigger.isPattern() ? Position.BEGINNING : trigger.from(), problem);
    }

    /** @param from where a database begins, unless an earlier note says so */
    void note(Trigger trigger, String source, String from, String problem) {
        Position noted = Position.first(trigger.name(), Positions.TROUBLE + source, from, 0)
                .of(trigger)
                .behind(Optional.of(clock.instant()))
                .withProblem(Optional.of(problem));
        Position unused = positions.change(positions.begin(noted), present -> (present.isOf(trigger)
                        ? present
                        : present.movedTo(from).of(trigger))
                .withProblem(noted.problem()));
    }

    /** The databases that have no position yet begin there once they can be read. */
    void replay(Trigger trigger, String from) {
        for (Position noted : positions.readAll(trigger.name(), Positions.TROUBLE)) {
            try {
                Position unused = positions.change(noted, present -> present.movedTo(from));
            } catch (Positions.MovedException begun) {
                // The database has a position by now, and is sent back as others are.
            }
        }
    }

    /** Strikes out the problem of a source: the source begins now, or was deleted. No change waits in it then. */
    void settle(Trigger trigger, String source) {
        positions.remove(trigger.name(), Positions.TROUBLE + source);
        positions.read(trigger.name(), source).ifPresent(this::settle);
    }

    /** Strikes out the problems of all other sources: the trigger does not follow them any more, or they are gone. */
    void settleOthers(Trigger trigger, Set<String> sources) {
        positions.readAll(trigger.name(), trigger.isPattern() ? "" : Positions.TROUBLE).stream()
                .filter(position -> !sources.contains(source(position).orElse(position.database())))
                .forEach(this::settle);
    }

    private void settle(Position position) {
        if (source(position).isPresent()) {
            positions.remove(position);
        } else if (position.isOfDatabase()
                && (position.problem().isPresent() || position.behindSince().isPresent())) {
            Position unused = positions.change(
                    position, present -> present.withProblem(Optional.empty()).behind(Optional.empty()));
        }
    }
}
