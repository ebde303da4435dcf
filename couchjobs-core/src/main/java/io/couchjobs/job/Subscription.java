package io.couchjobs.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The events of one job for one subscriber. Thread-safe; an event goes to one of the threads that await it.
 *
 * <p>Events are: another {@link JobPhase}; while the job is running, another run, new data or new progress; and the removal
 * of the job ({@code NOT_FOUND}). Lease renewals, cancel and resubmit requests, and changes of a pending job are none. Changes
 * within 50 ms are one event, the newest. At most 16 events are kept, the newest ones. The end of the job, finished or removed,
 * is the last event; it comes at once.
 *
 * <p>A state that is older than the last one told is no event; the feed may show such a state after a reconnect. A document that is overwritten by
 * something that is no job is no event either: the subscription goes on when the document is a job again.
 *
 * <p>Source: the CouchDB background-jobs RFC (007), subscriptions.
 */
public interface Subscription extends AutoCloseable {
    /** {@return which job} */
    JobId id();

    /** {@return the job's phase as last told: by the last event that was awaited, or else when the subscription began} */
    JobPhase phase();

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
     * Waits for an event with the given phase; others are dropped. The phase at the beginning is no event: see {@link
     * #phase()}.
     *
     * @param wanted the phase
     * @param timeout how long to wait at most, for all events together
     * @return the event; empty when the time is over, or as soon as the subscription is closed
     * @throws InterruptedException when interrupted before or while waiting
     */
    Optional<JobChange> await(JobPhase wanted, Duration timeout) throws InterruptedException;

    /**
     * Waits until the job is as wanted, as it is now or after one of the next events; other events are dropped. For example
     * until an index has come far enough: {@code await(job -> job.data().path("seq").asLong() >= 500, timeout)}.
     *
     * @param wanted asked by the calling thread about the job with its data
     * @param timeout how long to wait at most, for all events together
     * @return the job as wanted; empty when the time is over, or the job has ended or was removed without having been so
     * @throws InterruptedException when interrupted before or while waiting
     */
    Optional<Job> await(Predicate<? super Job> wanted, Duration timeout) throws InterruptedException;

    /**
     * The events as a stream, which ends with the subscription: with the end of the job, or when it is closed. Consuming it waits
     * for each event. A thread that is interrupted meanwhile keeps its interrupt flag, and its stream ends.
     *
     * @return the events from now on; an event goes to one of all streams and threads that await it
     */
    Stream<JobChange> changes();

    /**
     * The events as a reactive stream, for libraries such as Reactor, RxJava and Mutiny. It begins with the next event, and completes with
     * the subscription. The subscriber is called by common threads, one at a time, and gets as many events as it asks for; those that it does
     * not ask for are kept as long as others are. When it throws, it gets no more.
     *
     * @return a publisher for one subscriber; a second one gets an {@link IllegalStateException}. An event goes to the subscriber or to one of
     *     the streams and threads that await it
     */
    Flow.Publisher<JobChange> publisher();

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
