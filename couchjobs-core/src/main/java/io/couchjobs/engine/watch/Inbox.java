package io.couchjobs.engine.watch;

import io.couchjobs.engine.store.Snapshot;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The events of a subscription that were not awaited yet. Not thread-safe.
 *
 * <p>An event is held for a moment, from the first change of a burst on. A change during that time replaces it. When
 * the change restores the former state, no event is left. The end of a job is never held. When there are too many
 * events, the oldest are dropped.
 */
final class Inbox {
    /** The longest duration of a burst. */
    static final Duration HOLD_OFF = Duration.ofMillis(50);
    /** The most events that are kept. */
    static final int MOST = 16;

    private Snapshot told;
    private @Nullable Deque<Held> held;

    private record Held(Snapshot snapshot, long sinceNanos, long ripeNanos) {}

    Inbox(Snapshot first) {
        this.told = first;
    }

    /** Returns the state that was awaited last; at first the state at the beginning. */
    Snapshot told() {
        return told;
    }

    boolean isEmpty() {
        return held == null || held.isEmpty();
    }

    void clear() {
        held = null;
    }

    void offer(Snapshot news, long now) {
        Deque<Held> events = held == null ? new ArrayDeque<>(2) : held;
        Held last = events.peekLast();
        long since = now;
        if (last != null && last.ripeNanos - now > 0) {
            events.removeLast();
            since = last.sinceNanos;
        }
        Snapshot before = events.isEmpty() ? told : events.getLast().snapshot;
        if (news.isNewsAfter(before)) {
            events.addLast(new Held(news, since, news.isEnd() ? now : since + HOLD_OFF.toNanos()));
        }
        if (events.size() > MOST) {
            events.removeFirst();
        }
        held = events.isEmpty() ? null : events;
    }

    /**
     * Returns in how many nanoseconds the first event is due. Zero or less means now, and {@link Long#MAX_VALUE} that
     * there is none.
     */
    long ripeIn(long now) {
        return held == null || held.isEmpty() ? Long.MAX_VALUE : held.getFirst().ripeNanos - now;
    }

    Optional<Snapshot> poll(long now) {
        if (held == null || ripeIn(now) > 0) {
            return Optional.empty();
        }
        told = held.removeFirst().snapshot;
        held = held.isEmpty() ? null : held;
        return Optional.of(told);
    }
}
