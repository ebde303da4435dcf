package io.couchjobs.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a queue's workers, by minute and hour, and marks such as deploys. Made by {@link
 * io.couchjobs.Operations#history()}. Thread-safe. {@link io.couchjobs.JobQueue} says what all methods throw.
 *
 * <p>Every worker writes how its runs ended about once a minute, and one process at a time sums that up in a few documents per
 * day. A worker that closes writes all of its runs. When a worker is killed, its runs of the present minute, and of up to ten seconds
 * of the minute before, are not counted. Jobs that were claimed by hand, and those of other clients, are not counted. Minutes are kept for two days, hours and
 * marks for 400 days.
 */
public interface History {
    /**
     * Reads a part of the history.
     *
     * @param from begins with the step that this time is in
     * @param to ends before this time
     * @param step how much time a point stands for: whole minutes for the last two days, whole hours for any time
     * @return the runs of the database's own site
     * @throws IllegalArgumentException when the step is not positive or no whole number of minutes, when it is an hour or more and no
     *     whole number of hours, or when there would be more than 10,000 points
     */
    Chart read(Instant from, Instant to, Duration step);

    /**
     * Adds a mark at the present time, by the server's clock. A day keeps its last 100 marks.
     *
     * @param text what happened, such as {@code v1.4}
     * @return the mark
     * @throws IllegalArgumentException when the text is blank or longer than 200 characters
     */
    Mark mark(String text);

    /**
     * Reads the marks of some time.
     *
     * @param from the earliest time
     * @param to before this time
     * @return the marks, by time
     */
    List<Mark> marks(Instant from, Instant to);

    /**
     * A part of the history. Immutable and thread-safe.
     *
     * @param from when the first step begins
     * @param step how much time a point stands for
     * @param all the numbers of all types together
     * @param byType the numbers of each type that had runs or jobs that waited, by type; more than 100 types in a minute are summed
     *     up as {@code :other}
     */
    record Chart(Instant from, Duration step, Series all, Map<String, Series> byType) {}

    /**
     * The numbers of a type. Immutable and thread-safe.
     *
     * @param total the numbers of the whole time; its {@code waiting} is the greatest
     * @param points the numbers of each step, from the first one on; none is left out
     */
    record Series(Point total, List<Point> points) {}

    /**
     * The numbers of some time. Immutable and thread-safe.
     *
     * @param at when the time begins
     * @param runs how many runs succeeded, failed or were cancelled; a run that gave its job back does not count
     * @param failures how many of them failed, whether the job is retried or not
     * @param waiting the greatest number of jobs that were to run, now or later; 0 also when nobody counted
     * @param p50 half of the runs took at most that long, within 10 percent; null without runs
     * @param p95 19 of 20 runs took at most that long, within 10 percent; null without runs
     */
    record Point(
            Instant at,
            long runs,
            long failures,
            long waiting,
            @Nullable Duration p50,
            @Nullable Duration p95) {}

    /**
     * Something that people want to see in a chart. Immutable and thread-safe.
     *
     * @param at when it happened
     * @param text what happened
     */
    record Mark(Instant at, String text) {}
}
