package io.couchjobs.engine.watch;

import io.couchjobs.engine.time.Alarm;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.JobChange;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the events of a subscription to a reactive subscriber, as many as it requests, on threads of a lane and one at
 * a time. Thread-safe.
 */
final class ChangePublisher implements Flow.Subscription {
    private static final Logger log = LoggerFactory.getLogger(ChangePublisher.class);

    private final JobSubscription events;
    private final Flow.Subscriber<? super JobChange> subscriber;
    private final Alarm alarm;
    /** The number of reasons to call the subscriber that are not handled yet. Above zero, a thread is calling the subscriber. */
    private final AtomicInteger reasons = new AtomicInteger(1);

    private long wanted;
    /** Why the subscriber gets no more events. */
    private @Nullable RuntimeException refusal;

    private boolean over;

    ChangePublisher(JobSubscription events, Flow.Subscriber<? super JobChange> subscriber, Lane lane) {
        this.events = events;
        this.subscriber = subscriber;
        this.alarm = Alarm.immediate(lane, this::tell);
    }

    /** Calls {@code onSubscribe}, before any other method of the subscriber is called. */
    void begin() {
        subscriber.onSubscribe(this);
        reasons.set(0);
        look();
    }

    /** Reports an error to the subscriber instead of any event. */
    synchronized void refuse(RuntimeException reason) {
        refusal = reason;
    }

    /** Notes that there may be an event, or that the subscription may have ended. */
    void look() {
        alarm.now();
    }

    @Override
    public void request(long count) {
        if (count <= 0) {
            refuse(new IllegalArgumentException("a subscriber asks for at least one event, not " + count));
        } else {
            add(count);
        }
        look();
    }

    private synchronized void add(long count) {
        wanted = count > Long.MAX_VALUE - wanted ? Long.MAX_VALUE : wanted + count;
    }

    @Override
    public void cancel() {
        ends();
    }

    /** Ends the calls of the subscriber. Returns false when they had ended before. */
    private synchronized boolean ends() {
        boolean first = !over;
        over = true;
        return first;
    }

    /** Calls the subscriber, in one thread at a time. Other threads leave their reason to that thread, and do not wait. */
    private void tell() {
        if (reasons.getAndIncrement() > 0) {
            return;
        }
        int known = 1;
        while (known > 0) {
            tellAll();
            known = reasons.addAndGet(-known);
        }
    }

    private void tellAll() {
        try {
            Optional<JobChange> next = next();
            while (next.isPresent()) {
                subscriber.onNext(next.get());
                next = next();
            }
            RuntimeException reason = refusal();
            if (reason != null && ends()) {
                subscriber.onError(reason);
            } else if (events.isClosed() && ends()) {
                subscriber.onComplete();
            }
            lookWhenRipe();
        } catch (RuntimeException | Error e) {
            ends();
            log.error("a subscriber to {} failed; it gets no more events", events.id(), e);
        }
    }

    /** Takes the next event, if one is wanted. */
    private synchronized Optional<JobChange> next() {
        if (over || wanted == 0 || refusal != null) {
            return Optional.empty();
        }
        Optional<JobChange> next = events.poll();
        if (next.isPresent() && wanted < Long.MAX_VALUE) {
            wanted--;
        }
        return next;
    }

    private synchronized @Nullable RuntimeException refusal() {
        return refusal;
    }

    private synchronized void lookWhenRipe() {
        long nanos = events.ripeIn();
        if (!over && wanted > 0 && nanos < Long.MAX_VALUE) {
            alarm.within(Duration.ofNanos(Math.max(0, nanos)));
        }
    }
}
