package io.couchjobs.engine.trigger;

import io.couchjobs.trigger.Trigger;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The problems of sources that have no position: a pattern whose databases cannot be listed, or a database that could not be read
 * yet. Each problem has its own document. It holds the reason, the time, and the position at which the database begins once it can
 * be read. Thread-safe.
 */
final class Troubles {
    private final Positions positions;
    private final InstantSource clock;

    Troubles(Positions positions, InstantSource clock) {
        this.positions = positions;
        this.clock = clock;
    }

    /** Returns the name of the pattern or database whose problem a document holds; empty for other documents. */
    static Optional<String> source(Position document) {
        String name = document.database();
        return name.startsWith(Positions.TROUBLE)
                ? Optional.of(name.substring(Positions.TROUBLE.length()))
                : Optional.empty();
    }

    /**
     * Selects the documents that hold problems of a trigger's sources, without sources that have a position.
     *
     * @param stored all documents that are stored for the trigger
     */
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

    /** Returns the document that holds the problem of a source. */
    Optional<Position> of(Trigger trigger, String source) {
        return positions.read(trigger.name(), Positions.TROUBLE + source);
    }

    /** Stores why a pattern cannot be listed, or why a database without a position cannot be followed. */
    void note(Trigger trigger, String source, String problem) {
        note(trigger, source, trigger.isPattern() ? Position.BEGINNING : trigger.from(), problem);
    }

    /** @param from the position at which a database begins, unless its problem was stored earlier */
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

    /** Sets where the databases that have no position yet begin once they can be read. */
    void replay(Trigger trigger, String from) {
        for (Position noted : positions.readAll(trigger.name(), Positions.TROUBLE)) {
            try {
                Position unused = positions.change(noted, present -> present.movedTo(from));
            } catch (Positions.MovedException begun) {
                // The database has a position by now, which the caller sends back with the others.
            }
        }
    }

    /** Deletes the problem of a source that begins now or was deleted. No change waits in such a source. */
    void settle(Trigger trigger, String source) {
        positions.remove(trigger.name(), Positions.TROUBLE + source);
        positions.read(trigger.name(), source).ifPresent(this::settle);
    }

    /** Deletes the problems of all other sources, because they were deleted or are no longer followed. */
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
