package io.couchjobs.engine.watch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.engine.time.Deadline;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Signal;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The events of one job for one subscriber. Thread-safe; each event goes to only one of the threads that wait for it. */
public final class JobSubscription extends Follower implements Subscription {
    private final Followers followers;
    private final List<Signal> waiting = new ArrayList<>(0);
    private @Nullable Inbox inbox;
    private @Nullable Snapshot last;
    private @Nullable CompletableFuture<JobChange> ended;
    private @Nullable ChangePublisher publisher;

    JobSubscription(JobId id, Object subscriber, Followers followers) {
        super(id, subscriber);
        this.followers = followers;
    }

    @Override
    public JobId id() {
        return jobId();
    }

    @Override
    public JobPhase phase() {
        return told().phase();
    }

    @Override
    public Optional<ObjectNode> data() {
        return job().map(followers::withData).map(Job::data);
    }

    @Override
    public Optional<Job> job() {
        return told().job();
    }

    @Override
    public synchronized boolean isClosed() {
        return isOver() && inbox().isEmpty();
    }

    @Override
    public Optional<JobChange> await(Duration timeout) throws InterruptedException {
        return awaitAny(List.of(this), timeout);
    }

    @Override
    public Optional<JobChange> await(JobPhase wanted, Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.after(followers.environment(), timeout);
        Optional<JobChange> event = await(timeout);
        while (event.isPresent() && event.get().phase() != wanted) {
            event = await(deadline.left());
        }
        return event;
    }

    @Override
    public Optional<Job> await(Predicate<? super Job> wanted, Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.after(followers.environment(), timeout);
        Optional<Job> present = job().map(followers::withData);
        while (present.filter(wanted).isEmpty()) {
            Optional<JobChange> event = await(deadline.left());
            if (event.isEmpty()) {
                return Optional.empty();
            }
            present = event.get().job().map(followers::withData);
        }
        return present;
    }

    @Override
    public Stream<JobChange> changes() {
        return Stream.generate(this::next).takeWhile(Optional::isPresent).flatMap(Optional::stream);
    }

    private Optional<JobChange> next() {
        try {
            return await(Environment.FOREVER);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /**
     * Waits for the first event of any of several subscriptions. The events of the others are kept.
     *
     * @param timeout how long to wait at most; zero looks without waiting
     * @return the event, which names its job; empty when the time is over, or as soon as all subscriptions are closed
     * @throws InterruptedException when interrupted before or while waiting; no event is lost
     */
    public static Optional<JobChange> awaitAny(Collection<JobSubscription> subscriptions, Duration timeout)
            throws InterruptedException {
        if (subscriptions.isEmpty()) {
            return Optional.empty();
        }
        List<JobSubscription> all = List.copyOf(subscriptions);
        Environment environment = all.get(0).followers.environment();
        Deadline deadline = Deadline.after(environment, timeout);
        Signal signal = new Signal(environment);
        all.forEach(subscription -> subscription.wakeBy(signal));
        try {
            while (true) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                Optional<JobChange> event = first(all, environment.nanos());
                long left = deadline.nanosLeft();
                if (event.isPresent() || left == 0 || all.stream().allMatch(JobSubscription::isClosed)) {
                    return event;
                }
                boolean unused = signal.await(Duration.ofNanos(Math.min(left, ripeIn(all, environment.nanos()))));
            }
        } finally {
            all.forEach(subscription -> subscription.wakeNoMore(signal));
        }
    }

    @Override
    public Flow.Publisher<JobChange> publisher() {
        return subscriber -> {
            ChangePublisher fresh = new ChangePublisher(this, subscriber, followers.actions());
            synchronized (this) {
                if (publisher == null) {
                    publisher = fresh;
                } else {
                    fresh.refuse(new IllegalStateException("this subscription has a subscriber already;"
                            + " another one needs a subscription of its own"));
                }
            }
            fresh.begin();
        };
    }

    /** {@return the next event, if it is due by now} */
    Optional<JobChange> poll() {
        return poll(followers.environment().nanos()).map(this::event);
    }

    /** {@return in how many nanoseconds the next event is due; {@link Long#MAX_VALUE} when there is none} */
    long ripeIn() {
        return ripeIn(followers.environment().nanos());
    }

    @Override
    public synchronized CompletableFuture<JobChange> ended() {
        CompletableFuture<JobChange> known = ended;
        if (known != null) {
            return known.copy(); // if the job has ended, the lane completes this: callers may wait for it already
        }
        CompletableFuture<JobChange> future = new CompletableFuture<>();
        ended = future;
        if (last != null) {
            future.complete(event(last));
        } else if (isOver()) {
            future.completeExceptionally(closed());
        }
        return future.copy();
    }

    @Override
    public void close() {
        followers.leave(this);
        synchronized (this) {
            end();
            if (inbox != null) {
                inbox.clear();
            }
            if (ended != null && last == null) {
                // The closing thread must not run the actions that depend on the future.
                ended.completeAsync(
                        () -> {
                            throw closed();
                        },
                        followers.actions());
            }
            wake();
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
        inbox().offer(news, followers.environment().nanos());
        if (news.isEnd()) {
            ends(news);
        }
        wake();
    }

    private void wake() {
        waiting.forEach(Signal::give);
        if (publisher != null) {
            publisher.look();
        }
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
            ended.completeAsync(() -> event(end), followers.actions());
        }
    }

    private JobChange event(Snapshot snapshot) {
        return new JobChange(snapshot.id(), snapshot.phase(), snapshot.job().orElse(null));
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

    private static Optional<JobChange> first(List<JobSubscription> all, long now) {
        return all.stream()
                .filter(subscription -> subscription.ripeIn(now) <= 0)
                .min(Comparator.comparingLong(subscription -> subscription.ripeIn(now)))
                .flatMap(subscription -> subscription.poll(now).map(subscription::event));
    }

    private static long ripeIn(List<JobSubscription> all, long now) {
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
