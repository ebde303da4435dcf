package io.couchjobs.admin;

import io.couchjobs.job.Listening;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/**
 * Watches a queue by rules, and tells when something is wrong and when it is over. Made by {@link
 * io.couchjobs.Operations#alarms()}. Not thread-safe until it is started.
 *
 * <p>An alarm is raised when some looks in a row found it, and ends when as many did not ({@link #looks}). Any number of processes
 * may be given the same rules, the same number of looks, and the same webhooks and commands in the same order: one of them looks and
 * tells, and another one takes over when it is gone. The database remembers the raised alarms, so a restart tells nothing twice. A
 * process that may not write into the database, such as one with the role of a producer, looks and tells by itself. So does a process
 * that has only listeners.
 */
public interface Alarms {
    /**
     * {@return these alarms, with one for each type, unless it is paused, of which a job has been due for too long}
     *
     * @param longest how long a job may be due
     * @throws IllegalArgumentException when it is not positive
     */
    Alarms oldestDue(Duration longest);

    /**
     * {@return these alarms, with one for each type of which too many runs of the last ten minutes failed, of at least 20}
     *
     * @param part the greatest part that may fail, from 0 to 1
     * @throws IllegalArgumentException when it is less than 0, or 1 and more
     */
    Alarms failureRate(double part);

    /** {@return these alarms, with one when registered workers give no sign of life} */
    Alarms silentWorkers();

    /**
     * {@return these alarms, with one for each type of which many more jobs wait than ten minutes ago}
     *
     * @param jobs how many more may wait
     * @throws IllegalArgumentException when it is less than 1
     */
    Alarms growth(long jobs);

    /**
     * {@return these alarms, with one when many documents have conflicts}
     *
     * @param documents how many may have conflicts
     * @throws IllegalArgumentException when it is negative
     */
    Alarms conflicts(int documents);

    /**
     * {@return these alarms, with another pause between two looks} A look is some six requests.
     *
     * @param pause default 30 seconds, at least one
     * @throws IllegalArgumentException when it is less than a second
     */
    Alarms every(Duration pause);

    /**
     * {@return these alarms, with the number of looks in a row after which one is raised, and ends}
     *
     * @param inARow default 3
     * @throws IllegalArgumentException when it is less than 1
     */
    Alarms looks(int inARow);

    /**
     * {@return these alarms, with one more listener, which is told in a thread of its own} An exception that it throws is
     * logged, and it is told the same again after the next look.
     *
     * @param listener hears of each alarm that is raised or ends
     */
    Alarms tell(Consumer<Alarm> listener);

    /**
     * {@return these alarms, with a URL to which each one that is raised or ends is posted, as JSON: {@code alarm},
     * {@code subject}, {@code raised}, {@code finding}, {@code at}, {@code since}, {@code database}, and {@code text} with
     * all of that in a sentence} An answer other than 2xx is tried again after the next look.
     *
     * @param url an HTTP or HTTPS URL
     * @throws IllegalArgumentException when it is another URL
     */
    Alarms webhook(URI url);

    /**
     * {@return these alarms, with a program that is run for each one that is raised or ends, with no shell in between} It
     * finds the JSON of {@link #webhook} on standard input, and {@code COUCHJOBS_ALARM}, {@code COUCHJOBS_SUBJECT} and
     * {@code COUCHJOBS_RAISED} in its environment. It has 30 seconds; an exit code other than 0 is tried again after the next
     * look.
     *
     * @param command the program and its arguments
     * @throws IllegalArgumentException when it names no program
     */
    Alarms command(List<String> command);

    /**
     * Begins to look. Without any rule all of them hold: ten minutes due, a fifth of the runs failing, silent workers, 1,000 more
     * jobs waiting, ten conflicts.
     *
     * @return ends it when closed
     * @throws IllegalStateException when the queue is closed
     */
    Listening start();

    /**
     * Something is wrong, or is over. Immutable and thread-safe.
     *
     * @param rule {@code oldest-due}, {@code failure-rate}, {@code silent-workers}, {@code growth}, {@code conflicts}, or {@code
     *     database} when it could not be asked
     * @param subject the type; empty when it is about the whole queue
     * @param raised whether it was raised, else it is over
     * @param finding what was found, in a sentence; of one that is over, what was found last
     * @param at when this was found, by the server's clock as far as known
     * @param since when it was raised
     */
    record Alarm(String rule, String subject, boolean raised, String finding, Instant at, Instant since) {}
}
