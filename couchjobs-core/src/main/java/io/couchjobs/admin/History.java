package io.couchjobs.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The history of a queue: the runs of its workers by minute and hour, and marks such as deploys. Created by {@link
 * io.couchjobs.Operations#history()}. Thread-safe. {@link io.couchjobs.JobQueue} lists the exceptions that all methods throw.
 *
 * <p>Every worker writes the outcomes of its runs about once a minute, and one process at a time sums them up in a few documents
 * per day. A worker that closes writes all of its runs. When a worker is killed, its runs of the present minute, and of up to ten
 * seconds of the previous minute, are not counted. Jobs claimed by hand and jobs of other clients are not counted. Minutes are kept
 * for two days, hours and marks for 400 days.
 */
public interface History {
    /**
     * Reads a part of the history.
     *
     * @param from a time in the first step
     * @param to the end, exclusive
     * @param step the length of the time that a point covers: whole minutes for the last two days, whole hours for any time
     * @return the chart for the database's own site
     * @throws IllegalArgumentException when the step is not a positive whole number of minutes, when it is longer than an hour and
     *     not a whole number of hours, or when there would be more than 10,000 points
     */
    Chart read(Instant from, Instant to, Duration step);

    /**
     * Adds a mark at the present time, by the server's clock. A day keeps its last 100 marks.
     *
     * @param text a description of the event, such as {@code v1.4}
     * @return the mark
     * @throws IllegalArgumentException when the text is blank or longer than 200 characters
     */
    Mark mark(String text);

    /**
     * Reads the marks of a period.
     *
     * @param from the earliest time
     * @param to the end, exclusive
     * @return the marks, ordered by time
     */
    List<Mark> marks(Instant from, Instant to);

    /**
     * A period of the history. Immutable and thread-safe.
     *
     * @param from the start of the first step
     * @param step the length of the time that a point covers
     * @param all the sums of all types
     * @param byType the numbers of each type with runs or waiting jobs, by type; when a minute has more than 100 types, the others
     *     are summed up as {@code :other}
     */
    record Chart(Instant from, Duration step, Series all, Map<String, Series> byType) {}

    /**
     * The numbers of a type. Immutable and thread-safe.
     *
     * @param total the numbers of the whole period; its {@code waiting} is the maximum
     * @param points the numbers of each step, in order and without gaps
     */
    record Series(Point total, List<Point> points) {}

    /**
     * The numbers of one step or period. Immutable and thread-safe.
     *
     * @param at the start of the time
     * @param runs the number of runs that succeeded, failed or were cancelled; a run that released its job does not count
     * @param failures the number of failed runs, including those that are retried
     * @param waiting the highest number of pending jobs; also 0 when no process counted
     * @param p50 the median duration of the runs, within 10 percent; null without runs
     * @param p95 the 95th percentile of the durations of the runs, within 10 percent; null without runs
     */
    record Point(
            Instant at,
            long runs,
            long failures,
            long waiting,
            @Nullable Duration p50,
            @Nullable Duration p95) {}

    /**
     * A mark for an event in a chart. Immutable and thread-safe.
     *
     * @param at when the event happened
     * @param text a description of the event
     */
    record Mark(Instant at, String text) {}
}
