package io.couchjobs.engine.feed;

/**
 * Decides whether the feed is read with documents or without: without, while many rows come and hardly any of their
 * documents are needed. Not thread-safe.
 *
 * <p>A switch costs a request, so it takes more rows to begin than to go on.
 */
final class FeedPace {
    /** By default, 200 rows within a second whose documents are not needed are many; fewer than 50 are few. */
    static final FeedPace.Limits DEFAULT = new FeedPace.Limits(200, 50, 1_000_000_000);

    private final Limits limits;
    private boolean lean;
    private boolean isFixed;
    private long since;
    private long needed;
    private long unneeded;

    /**
     * When to switch.
     *
     * @param many with so many unneeded documents within a window, documents are left out
     * @param few with fewer, they are read again
     * @param window the length of a window in nanoseconds
     */
    record Limits(int many, int few, long window) {}

    FeedPace(Limits limits, long nanos) {
        this.limits = limits;
        this.since = nanos;
    }

    /** One that never switches. */
    static FeedPace fixed(boolean lean) {
        FeedPace pace = new FeedPace(DEFAULT, 0);
        pace.lean = lean;
        pace.isFixed = true;
        return pace;
    }

    /** Whether the feed is to be read without documents. */
    boolean isLean() {
        return lean;
    }

    /** A row came. */
    void saw(boolean isNeeded) {
        needed += isNeeded ? 1 : 0;
        unneeded += isNeeded ? 0 : 1;
    }

    /** Whether it is time to read it the other way. */
    boolean wantsSwitch(long nanos) {
        boolean isOver = nanos - since >= limits.window;
        boolean wants = lean ? wantsDocuments(isOver) : unneeded >= limits.many && 10 * needed <= unneeded;
        if (isOver) {
            restart(nanos);
        }
        return wants && !isFixed;
    }

    void switchOver(long nanos) {
        lean = !lean;
        restart(nanos);
    }

    /** With documents, for now. */
    void reset(long nanos) {
        lean &= isFixed;
        restart(nanos);
    }

    /** With documents, for good. */
    void stayWithDocuments() {
        lean = false;
        isFixed = true;
    }

    /** Many needed documents are a reason at once; only the end of a window shows that few rows come. */
    private boolean wantsDocuments(boolean isOver) {
        return 4 * needed > unneeded + (isOver ? 0 : limits.many) || (isOver && unneeded < limits.few);
    }

    private void restart(long nanos) {
        since = nanos;
        needed = 0;
        unneeded = 0;
    }
}
