package io.couchjobs.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/**
 * The events of one job for one subscriber. Thread-safe; an event goes to one of the threads that await it.
 *
 * <p>Events are: another {@link JobState}; while the job is running, another run, new data or new progress; and the removal
 * of the job ({@code NOT_FOUND}). Lease renewals, cancel and resubmit requests, and changes of a pending job are none. Changes
 * within 50 ms are one event, the newest. At most 16 events are kept, the newest ones. The end of the job, finished or removed,
 * is the last event; it comes at once.
 *
 * <p>An older story that the feed tells (after a rewind or a reconnect) is no event. A document that is overwritten by
 * something that is no job is no event either: the subscription goes on when the document is a job again.
 *
 * <p>Source: the CouchDB background-jobs RFC (007), subscriptions.
 */
public interface Subscription extends AutoCloseable {
    /** {@return which job} */
    JobId id();

    /** {@return the job's state as last told: by the last event that was awaited, or else when the subscription began} */
    JobState state();

    /** {@return a copy of the job's data as last told, read from the database if it is attached; empty when it was removed} */
    Optional<ObjectNode> data();

    /** {@return the job as last told, without attached data; empty when it was removed} */
    Optional<Job> job();

    /** {@return whether there will be no more events: the job has ended and that was awaited, or this was closed} */
    boolean isClosed();

    /**
     * Waits for the next event.
     *
     * @param timeout how long to wait at most; zero looks without waiting
     * @return the event; empty when the time is over, or as soon as the subscription is closed
     * @throws InterruptedException when interrupted before or while waiting; no event is lost
     */
    Optional<JobChange> await(Duration timeout) throws InterruptedException;

    /**
     * Waits for an event with the given state; others are dropped. The state at the beginning is no event: see {@link
     * #state()}.
     *
     * @param wanted the state
     * @param timeout how long to wait at most, for all events together
     * @return the event; empty when the time is over, or as soon as the subscription is closed
     * @throws InterruptedException when interrupted before or while waiting
     */
    Optional<JobChange> await(JobState wanted, Duration timeout) throws InterruptedException;

    /**
     * The end of the job, for callers that do not want to wait. It is told beside the events that are awaited.
     *
     * @return completed on a common thread with the last event when the job has finished or was removed, or exceptionally by a
     *     {@link CancellationException} when the subscription is closed before
     */
    CompletableFuture<JobChange> ended();

    /**
     * Ends the subscription and discards the events that were not awaited. A thread that awaits one gets none.
     * Idempotent.
     */
    @Override
    void close();
}
