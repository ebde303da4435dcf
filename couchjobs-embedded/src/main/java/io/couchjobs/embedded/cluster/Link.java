package io.couchjobs.embedded.cluster;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The connection of two nodes. While the connection is cut in one or both directions, messages wait. After the tick, both nodes
 * give up the connection. The waiting messages are then lost, and a node that waits for an answer learns that the other node is
 * down.
 */
final class Link {
    private final Member one;
    private final Member other;
    private final Set<Ask<?>> open = new LinkedHashSet<>();
    private final List<Runnable> held = new ArrayList<>();
    private final Set<Member> mute = new HashSet<>();
    private boolean down;
    private long changes;

    Link(Member one, Member other) {
        this.one = one;
        this.other = other;
    }

    Member one() {
        return one;
    }

    Member other() {
        return other;
    }

    boolean joins(Member member) {
        return member == one || member == other;
    }

    boolean isDown() {
        return down;
    }

    /** Returns whether messages from a node do not arrive. */
    boolean isCutFrom(Member sender) {
        return mute.contains(sender);
    }

    void cut(boolean now) {
        cutFrom(one, now);
        cutFrom(other, now);
    }

    void cutFrom(Member sender, boolean now) {
        if (now) {
            mute.add(sender);
        } else {
            mute.remove(sender);
        }
    }

    boolean isHealthy() {
        return mute.isEmpty() && one.isRunning() && other.isRunning();
    }

    boolean hasEnded() {
        return one.state() == Member.State.STOPPED || other.state() == Member.State.STOPPED;
    }

    /** {@return a number with which {@link #changedSince} detects later changes} */
    long change() {
        return ++changes;
    }

    boolean changedSince(long number) {
        return changes != number;
    }

    void hold(Runnable delivery) {
        held.add(delivery);
    }

    List<Runnable> release() {
        List<Runnable> released = List.copyOf(held);
        held.clear();
        return released;
    }

    void opened(Ask<?> ask) {
        open.add(ask);
    }

    /** {@return whether the asker still waits for the answer} */
    boolean closed(Ask<?> ask) {
        return open.remove(ask);
    }

    void giveUp() {
        down = true;
        held.clear();
        List<Ask<?>> lost = List.copyOf(open);
        open.clear();
        lost.forEach(Ask::down);
    }

    void restore() {
        down = false;
    }
}
