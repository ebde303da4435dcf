package io.couchjobs.admin;

import io.couchjobs.job.Listening;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/**
 * Watches a queue by rules, and notifies listeners when a rule is broken and when the problem is over. Created by {@link
 * io.couchjobs.Operations#alarms()}. Not thread-safe until started.
 *
 * <p>An alarm is raised when several checks in a row found the problem, and ends when the same number of checks did not find it
 * ({@link #looks}). Several processes may use the same rules, the same number of checks, and the same webhooks and commands in the
 * same order. One of these processes checks and notifies, and another takes over when it is gone. The database stores the raised
 * alarms, so a restart sends no notification twice. A process that may not write to the database, such as one with the producer
 * role, checks and notifies by itself. So does a process that has only listeners.
 */
public interface Alarms {
    /**
     * {@return these alarms, with an alarm for each type that is not paused and has a job that has been due for too long}
     *
     * @param longest the longest time that a job may be due
     * @throws IllegalArgumentException when the time is not positive
     */
    Alarms oldestDue(Duration longest);

    /**
     * {@return these alarms, with an alarm for each type with too many failed runs in the last ten minutes, if there were at least
     * 20 runs}
     *
     * @param part the largest fraction of runs that may fail, from 0 to less than 1
     * @throws IllegalArgumentException when the fraction is less than 0, or 1 or more
     */
    Alarms failureRate(double part);

    /** {@return these alarms, with an alarm when registered workers give no sign of life} */
    Alarms silentWorkers();

    /**
     * {@return these alarms, with an alarm for each type with many more waiting jobs than ten minutes ago}
     *
     * @param jobs the number of additional jobs that may wait
     * @throws IllegalArgumentException when the number is less than 1
     */
    Alarms growth(long jobs);

    /**
     * {@return these alarms, with an alarm when many documents have conflicts}
     *
     * @param documents the number of documents that may have conflicts
     * @throws IllegalArgumentException when the number is negative
     */
    Alarms conflicts(int documents);

    /**
     * {@return these alarms, with another pause between two checks} A check takes about six requests.
     *
     * @param pause the pause, at least one second; default 30 seconds
     * @throws IllegalArgumentException when the pause is less than a second
     */
    Alarms every(Duration pause);

    /**
     * {@return these alarms, with the number of checks in a row after which an alarm is raised or ends}
     *
     * @param inARow the number of checks; default 3
     * @throws IllegalArgumentException when the number is less than 1
     */
    Alarms looks(int inARow);

    /**
     * {@return these alarms, with an additional listener, which is called on its own thread} If the listener throws, the exception
     * is logged, and the listener is called again after the next check.
     *
     * @param listener called for each alarm that is raised or ends
     */
    Alarms tell(Consumer<Alarm> listener);

    /**
     * {@return these alarms, with a URL to which each raised or ended alarm is posted as JSON} The fields are {@code alarm}, {@code
     * subject}, {@code raised}, {@code finding}, {@code at}, {@code since}, {@code database}, and {@code text} with all of that in
     * one sentence. If the answer is not 2xx, the post is repeated after the next check.
     *
     * @param url an HTTP or HTTPS URL
     * @throws IllegalArgumentException when the URL has another scheme
     */
    Alarms webhook(URI url);

    /**
     * {@return these alarms, with a program that runs for each raised or ended alarm, without a shell} The program gets the JSON of
     * {@link #webhook} on standard input, and {@code COUCHJOBS_ALARM}, {@code COUCHJOBS_SUBJECT} and {@code COUCHJOBS_RAISED} in
     * its environment. It may run for 30 seconds. If its exit code is not 0, it runs again after the next check.
     *
     * @param command the program and its arguments
     * @throws IllegalArgumentException when the command is empty
     */
    Alarms command(List<String> command);

    /**
     * Starts the checks. If no rule was set, all rules apply with these defaults: jobs due for ten minutes, a fifth of the runs
     * failing, silent workers, 1,000 more jobs waiting, ten conflicts.
     *
     * @return a handle that stops the checks when it is closed
     * @throws IllegalStateException when the queue is closed
     */
    Listening start();

    /**
     * An alarm that is raised or has ended. Immutable and thread-safe.
     *
     * @param rule the rule: {@code oldest-due}, {@code failure-rate}, {@code silent-workers}, {@code growth}, {@code conflicts}, or
     *     {@code database} when the database could not be asked
     * @param subject the type; empty for an alarm about the whole queue
     * @param raised true if the alarm was raised; false if it has ended
     * @param finding a sentence about the problem; for an ended alarm, the last finding
     * @param at when this was found, by the server's clock as far as known
     * @param since when the alarm was raised
     */
    record Alarm(String rule, String subject, boolean raised, String finding, Instant at, Instant since) {}
}
