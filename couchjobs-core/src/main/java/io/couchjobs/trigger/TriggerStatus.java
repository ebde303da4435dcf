package io.couchjobs.trigger;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The progress of a trigger. Immutable and thread-safe.
 *
 * @param trigger the trigger
 * @param follower the worker that follows the trigger's sources; empty when no worker follows them
 * @param sources the trigger's databases, ordered by name. After them come sources that cannot be followed and have no position:
 *     the pattern itself, if its databases cannot be listed, and databases that could not be read yet
 * @param ends the progress of writing back how the jobs ended; empty when nothing was ever written back. Its database is called
 *     {@code ~ends}, and its lag is unknown
 */
public record TriggerStatus(Trigger trigger, Optional<String> follower, List<Source> sources, Optional<Source> ends) {
    /**
     * Copies the list.
     *
     * @param trigger the trigger
     * @param follower the worker that follows the trigger's sources
     * @param sources the trigger's databases
     * @param ends the progress of writing back how the jobs ended
     */
    public TriggerStatus {
        sources = List.copyOf(sources);
    }

    /**
     * The progress of a trigger in one database. Immutable and thread-safe.
     *
     * @param database the name of the database
     * @param position the opaque position up to which all changes are processed; empty when there is none yet
     * @param lag the number of changes after that position, as the server reports it; empty when the server cannot be asked
     * @param behind the minimum time for which changes have been waiting; zero when no change waits; empty when unknown
     * @param changes the number of changes that were taken
     * @param perMinute the number of changes that were taken in the last complete minute
     * @param jobs the number of jobs that were made or changed
     * @param errors the number of changes that failed
     * @param last when the position last moved; empty when it never moved
     * @param problem why the database cannot be followed now, or a warning; empty when there is no problem
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

    /** {@return the {@link #sources()}, followed by the {@link #ends()} if they are present} */
    public List<Source> all() {
        return Stream.concat(sources.stream(), ends.stream()).toList();
    }

    /** {@return the number of changes that wait in all sources whose lag is known} */
    public long lag() {
        return sources.stream().mapToLong(source -> source.lag().orElse(0)).sum();
    }

    /** {@return how long changes have been waiting in the source that is furthest behind; empty when unknown} */
    public Optional<Duration> behind() {
        return sources.stream().flatMap(source -> source.behind().stream()).max(Comparator.naturalOrder());
    }

    /** {@return the number of changes that were taken from all sources in the last complete minute} */
    public long perMinute() {
        return sources.stream().mapToLong(Source::perMinute).sum();
    }

    /** {@return the number of jobs that were made or changed} */
    public long jobs() {
        return sources.stream().mapToLong(Source::jobs).sum();
    }

    /** {@return the number of changes that failed, plus the number of job ends that could not be written back} */
    public long errors() {
        return all().stream().mapToLong(Source::errors).sum();
    }

    /** {@return the problem of the first source that has one; empty when no source has a problem} */
    public Optional<String> problem() {
        return all().stream().flatMap(source -> source.problem().stream()).findFirst();
    }

    /**
     * A change that a trigger could not process. Immutable and thread-safe.
     *
     * @param database the name of the database
     * @param docId the document's {@code _id}
     * @param rev the document's revision
     * @param at when the trigger tried the change
     * @param reason why the change failed
     * @param retryable whether the change may succeed later even if neither the document nor the trigger changes
     */
    public record Failure(String database, String docId, String rev, Instant at, String reason, boolean retryable) {}
}
