package io.couchjobs.trigger;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * How far a trigger is. Immutable and thread-safe.
 *
 * @param trigger the trigger
 * @param follower the worker that follows its sources; empty when none does
 * @param sources its databases, by name. Then the sources that cannot be followed and have no position: the pattern itself, if its databases
 *     cannot be listed, and databases that could not be read yet
 * @param ends how far the ends of its jobs are written back; empty when no end ever was. Its database is called {@code ~ends}, and its lag
 *     is not known
 */
public record TriggerStatus(Trigger trigger, Optional<String> follower, List<Source> sources, Optional<Source> ends) {
    /**
     * Copies the list.
     *
     * @param trigger the trigger
     * @param follower who follows
     * @param sources its databases
     * @param ends how far its ends are written back
     */
    public TriggerStatus {
        sources = List.copyOf(sources);
    }

    /**
     * How far the trigger is in one database. Immutable and thread-safe.
     *
     * @param database its name
     * @param position the position up to which all changes are dealt with, opaque; empty when there is none yet
     * @param lag how many changes come after that position, as the server says; empty when it cannot be asked
     * @param behind for how long changes have been waiting, at least; zero when none waits; empty when nobody knows
     * @param changes how many changes were taken
     * @param perMinute how many of these in the last minute that is over
     * @param jobs how many jobs were made or changed
     * @param errors how many changes failed
     * @param last when the position moved last; empty when it never did
     * @param problem why it cannot be followed now, or what a person should know all the same; empty when all is well
     */
    public record Source(
            String database,
            String position,
            OptionalLong lag,
            Optional<Duration> behind,
            long changes,
            long perMinute,
            long jobs,
            long errors,
            Optional<Instant> last,
            Optional<String> problem) {}

    /** {@return its databases by name, and then, if there are any, its ends} */
    public List<Source> all() {
        return Stream.concat(sources.stream(), ends.stream()).toList();
    }

    /** {@return how many changes wait in all sources, as far as that is known} */
    public long lag() {
        return sources.stream().mapToLong(source -> source.lag().orElse(0)).sum();
    }

    /** {@return for how long changes have been waiting in the source that is furthest behind; empty when nobody knows} */
    public Optional<Duration> behind() {
        return sources.stream().flatMap(source -> source.behind().stream()).max(Comparator.naturalOrder());
    }

    /** {@return how many changes were taken in the last minute that is over, in all sources} */
    public long perMinute() {
        return sources.stream().mapToLong(Source::perMinute).sum();
    }

    /** {@return how many jobs were made or changed} */
    public long jobs() {
        return sources.stream().mapToLong(Source::jobs).sum();
    }

    /** {@return how many changes failed, and how many ends could not be written back} */
    public long errors() {
        return all().stream().mapToLong(Source::errors).sum();
    }

    /** {@return what troubles the trigger in the first database that has a problem; empty when none has} */
    public Optional<String> problem() {
        return all().stream().flatMap(source -> source.problem().stream()).findFirst();
    }

    /**
     * A change of which a trigger could not make what it should. Immutable and thread-safe.
     *
     * @param database the name of the database
     * @param docId the document's {@code _id}
     * @param rev the revision
     * @param at when it was tried
     * @param reason why it failed, in words
     * @param retryable whether it may succeed later though neither the document nor the trigger changes
     */
    public record Failure(String database, String docId, String rev, Instant at, String reason, boolean retryable) {}
}
