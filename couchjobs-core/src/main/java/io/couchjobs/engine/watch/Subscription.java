package io.couchjobs.engine.watch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.engine.time.Deadline;
import io.couchjobs.engine.time.Signal;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobEvent;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a subscriber hears of one job. Thread-safe; an event goes to one of the threads that await it.
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
public final class Subscription extends Follower implements AutoCloseable {
    private final Followers followers;
    private final List<Signal> waiting = new ArrayList<>(0);
    private @Nullable Inbox inbox;
    private @Nullable Snapshot last;
    private @Nullable CompletableFuture<JobEvent> ended;

    Subscription(JobId id, Object subscriber, Followers followers) {
        super(id, subscriber);
        this.followers = followers;
    }

    /** {@return which job} */
    public JobId id() {
        return jobId();
    }

    /** {@return the job's state as last told: by the last event that was awaited, or else when the subscription began} */
    public JobState state() {
        return told().state();
    }

    /** {@return a copy of the job's data as last told; empty when it was removed} */
    public Optional<ObjectNode> data() {
        return job().map(Job::data);
    }

    /** {@return the job as last told; empty when it was removed} */
    public Optional<Job> job() {
        return told().job().map(followers::withData);
    }

    /** {@return whether there will be no more events: the job has ended and that was awaited, or this was closed} */
    public synchronized boolean isClosed() {
        return isOver() && inbox().isEmpty();
    }

    /**
     * Waits for the next event.
     *
     * @param timeout how long to wait at most; zero looks without waiting
     * @return the event; empty when the time is over, or as soon as the subscription is closed
     * @throws InterruptedException when interrupted before or while waiting; no event is lost
     */
    public Optional<JobEvent> await(Duration timeout) throws InterruptedException {
        return awaitAny(List.of(this), timeout);
    }

    /**
     * Waits for an event with the given state; others are dropped. The state at the beginning is no event: see {@link
     * #state()}.
     *
     * @param wanted the state
     * @param timeout how long to wait at most, for all events together
     * @return the event; empty when the time is over, or as soon as the subscription is closed
     * @throws InterruptedException when interrupted before or while waiting
     */
    public Optional<JobEvent> await(JobState wanted, Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.after(timeout);
        Optional<JobEvent> event = await(timeout);
        while (event.isPresent() && event.get().state() != wanted) {
            event = await(deadline.left());
        }
        return event;
    }

    /**
     * Waits for the first event of any of some subscriptions; the events of the others are kept.
     *
     * @param subscriptions any number
     * @param timeout how long to wait at most; zero looks without waiting
     * @return the event, which says of which job; empty when the time is over, or as soon as all subscriptions are closed
     * @throws InterruptedException when interrupted before or while waiting; no event is lost
     */
    public static Optional<JobEvent> awaitAny(Collection<Subscription> subscriptions, Duration timeout)
            throws InterruptedException {
        Deadline deadline = Deadline.after(timeout);
        List<Subscription> all = List.copyOf(subscriptions);
        Signal signal = new Signal();
        all.forEach(subscription -> subscription.wakeBy(signal));
        try {
            while (true) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                Optional<JobEvent> event = first(all);
                long left = deadline.nanosLeft();
                if (event.isPresent() || left == 0 || all.stream().allMatch(Subscription::isClosed)) {
                    return event;
                }
                signal.await(Math.min(left, ripeIn(all)));
            }
        } finally {
            all.forEach(subscription -> subscription.wakeNoMore(signal));
        }
    }

    /**
     * The end of the job, for callers that do not want to wait. It is told beside the events that are awaited.
     *
     * @return completed on a common thread with the last event when the job has finished or was removed, or exceptionally by a
     *     {@link CancellationException} when the subscription is closed before
     */
    public synchronized CompletableFuture<JobEvent> ended() {
        CompletableFuture<JobEvent> future = ended == null ? new CompletableFuture<>() : ended;
        ended = future;
        if (last != null) {
            future.complete(event(last));
        } else if (isOver()) {
            future.completeExceptionally(closed());
        }
        return future.copy();
    }

    /** Ends the subscription and discards the events that were not awaited. Whoever awaits one gets none. Idempotent. */
    @Override
    public void close() {
        followers.leave(this);
        synchronized (this) {
            end();
            if (inbox != null) {
                inbox.clear();
            }
            if (ended != null) {
                // On a common thread: who hangs on the future must not be called by who closes.
                ended.completeAsync(() -> {
                    throw closed();
                });
            }
            waiting.forEach(Signal::give);
        }
    }

    @Override
    public String toString() {
        return "Subscription[" + jobId() + "]";
    }

    @Override
    void opened(Snapshot first) {
        inbox = new Inbox(first);
        if (first.isEnd()) {
            ends(first);
        }
    }

    @Override
    void told(Snapshot news) {
        inbox().offer(news, System.nanoTime());
        if (news.isEnd()) {
            ends(news);
        }
        waiting.forEach(Signal::give);
    }

    @Override
    void stop() {
        close();
    }

    private void ends(Snapshot end) {
        end();
        followers.leave(this);
        last = end;
        if (ended != null) {
            ended.completeAsync(() -> event(end));
        }
    }

    private JobEvent event(Snapshot snapshot) {
        return new JobEvent(
                snapshot.id(),
                snapshot.state(),
                snapshot.job().map(followers::withData).orElse(null));
    }

    private static CancellationException closed() {
        return new CancellationException("the subscription was closed");
    }

    private synchronized Snapshot told() {
        return inbox().told();
    }

    private Inbox inbox() {
        return Objects.requireNonNull(inbox, "a subscription is handed out when its job was read");
    }

    private static Optional<JobEvent> first(List<Subscription> all) {
        long now = System.nanoTime();
        return all.stream()
                .filter(subscription -> subscription.ripeIn(now) <= 0)
                .min(Comparator.comparingLong(subscription -> subscription.ripeIn(now)))
                .flatMap(subscription -> subscription.poll(now).map(subscription::event));
    }

    private static long ripeIn(List<Subscription> all) {
        long now = System.nanoTime();
        return all.stream()
                .mapToLong(subscription -> subscription.ripeIn(now))
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private synchronized long ripeIn(long now) {
        return inbox().ripeIn(now);
    }

    private synchronized Optional<Snapshot> poll(long now) {
        return inbox().poll(now);
    }

    private synchronized void wakeBy(Signal signal) {
        waiting.add(signal);
    }

    private synchronized void wakeNoMore(Signal signal) {
        waiting.remove(signal);
    }
}
