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
 * The events of one job for one subscriber. Thread-safe. If several threads wait, each event goes to only one of them.
 *
 * <p>Events are: another {@link JobPhase}; another run, new data or new progress while the job is running; and the removal of the
 * job ({@code NOT_FOUND}). Lease renewals, cancel and resubmit requests, and changes of a pending job are not events. Several
 * changes within 50 ms become one event, the newest. The subscription keeps at most the 16 newest events. The end of the job,
 * finished or removed, is the last event, and is delivered without delay.
 *
 * <p>The feed may show an old state after a reconnect. A state older than the last delivered one is not an event. If the document
 * is overwritten by something that is not a job, that is not an event either: the subscription continues when the document is a job
 * again.
 *
 * <p>Source: the CouchDB background-jobs RFC (007), subscriptions.
 */
public interface Subscription extends AutoCloseable {
    /** {@return the id of the job} */
    JobId id();

    /** {@return the job's phase at the last event that was awaited, or else at the start of the subscription} */
    JobPhase phase();

    /**
     * {@return a copy of the job's data as of {@link #phase()}, read from the database if attached; empty when the job was removed}
     */
    Optional<ObjectNode> data();

    /** {@return the job as of {@link #phase()}, without attached data; empty when it was removed} */
    Optional<Job> job();

    /** {@return whether there will be no more events: the end of the job was awaited, or this subscription was closed} */
    boolean isClosed();

    /**
     * Waits for the next event.
     *
     * @param timeout the longest time to wait; zero checks without waiting
     * @return the event; empty after the timeout, or as soon as the subscription is closed
     * @throws InterruptedException when interrupted before or while waiting; no event is lost
     */
    Optional<JobChange> await(Duration timeout) throws InterruptedException;

    /**
     * Waits for an event with the given phase, and drops other events. The phase at the start of the subscription is not an event:
     * see {@link #phase()}.
     *
     * @param wanted the phase
     * @param timeout the longest total time to wait
     * @return the event; empty after the timeout, or as soon as the subscription is closed
     * @throws InterruptedException when interrupted before or while waiting
     */
    Optional<JobChange> await(JobPhase wanted, Duration timeout) throws InterruptedException;

    /**
     * Waits until the job fulfils a condition, now or after one of the next events, and drops other events. For example, waits
     * until an index has reached a sequence: {@code await(job -> job.data().path("seq").asLong() >= 500, timeout)}.
     *
     * @param wanted the condition, called on the calling thread with the job and its data
     * @param timeout the longest total time to wait
     * @return the job that fulfils the condition; empty after the timeout, or when the job ended or was removed without fulfilling
     *     it
     * @throws InterruptedException when interrupted before or while waiting
     */
    Optional<Job> await(Predicate<? super Job> wanted, Duration timeout) throws InterruptedException;

    /**
     * Returns the events as a stream. The stream ends with the subscription: at the end of the job, or when the subscription is
     * closed. Consuming the stream waits for each event. If the thread is interrupted meanwhile, its stream ends and its interrupt
     * flag stays set.
     *
     * @return the events from now on; each event goes to only one of all waiting streams and threads
     */
    Stream<JobChange> changes();

    /**
     * Returns the events as a reactive stream, for libraries such as Reactor, RxJava and Mutiny. The stream begins with the next
     * event, and completes with the subscription. The subscriber is called on shared threads, one at a time, and receives as many
     * events as it requests. Events that it has not requested are kept like other events. After the subscriber throws, it receives
     * no more events.
     *
     * @return a publisher for one subscriber; a second subscriber gets an {@link IllegalStateException}. Each event goes either to
     *     the subscriber or to one of the waiting streams and threads
     */
    Flow.Publisher<JobChange> publisher();

    /**
     * Returns the end of the job as a future, for callers that do not want to wait. The end is also delivered as an event.
     *
     * @return a future, completed on a shared thread with the last event when the job has finished or was removed; completed with a
     *     {@link CancellationException} when the subscription is closed before
     */
    CompletableFuture<JobChange> ended();

    /** Ends the subscription and discards the events that were not awaited. Waiting threads get no event. Idempotent. */
    @Override
    void close();
}
