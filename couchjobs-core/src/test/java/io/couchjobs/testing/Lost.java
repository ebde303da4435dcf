package io.couchjobs.testing;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/** Requests whose connections a {@link Proxy} cuts, before the server hears of them or instead of the answer. Thread-safe. */
public final class Lost implements Proxy.Detour {
    private final Predicate<Proxy.Request> which;
    private final boolean before;
    private final Set<Long> caught = new HashSet<>();
    private int left;

    Lost(int times, Predicate<Proxy.Request> which, boolean before) {
        this.left = times;
        this.which = which;
        this.before = before;
    }

    /** How many there were so far. */
    public synchronized int count() {
        return caught.size();
    }

    @Override
    public synchronized boolean goes(Proxy.Request request) {
        boolean hit = left > 0 && which.test(request);
        if (hit) {
            left--;
            caught.add(request.number());
        }
        return !hit || !before;
    }

    @Override
    public synchronized boolean returns(Proxy.Request request) {
        return before || !caught.contains(request.number());
    }
}
