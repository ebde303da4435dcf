package io.couchjobs.engine.feed;

import java.time.Duration;

/**
 * Decides whether the feed is read with documents or without: without, while many rows come and hardly any of their
 * documents are needed. When not one job among them concerns anybody here, rows may be skipped. Not thread-safe.
 *
 * <p>A switch costs a request, so it takes more rows to begin than to go on.
 */
final class FeedPace {
    /** By default, 200 rows within a second whose documents are not needed are many; fewer than 50 are few. */
    static final FeedPace.Limits DEFAULT = new FeedPace.Limits(200, 50, 1_000_000_000);

    /** The patience of the listeners of ten idle workers. */
    private static final Duration OF_FEW_WORKERS = Duration.ofMillis(200);

    private final Limits limits;
    private boolean lean;
    private boolean isFixed;
    private long since;
    private long needed;
    private long unneeded;
    /** How many of the needed documents are jobs, or parts of their logs. */
    private long concerning;

    private boolean concernsNobody;

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

    /**
     * Whether very many rows came in the last window, and none of a job that concerns anybody here.
     */
    boolean mayBeSkipped() {
        return concernsNobody;
    }

    void saw(boolean isNeeded, boolean isOfMany) {
        needed += isNeeded ? 1 : 0;
        concerning += isNeeded && isOfMany ? 1 : 0;
        unneeded += isNeeded ? 0 : 1;
    }

    /** Whether so many rows are better skipped than read: to look anew costs the server about as much as to read 200. */
    boolean areMany(long rows) {
        return rows >= limits.many;
    }

    /** So many rows were skipped. */
    void skipped(long rows) {
        unneeded += rows;
    }

    /**
     * Whether it is time to read it the other way.
     *
     * @param patience the patience of the listeners. Each worker of a fleet reads all rows, and the more workers there are,
     *     the more patient they are: with one of a second, a fifth of the rows are many, or few
     */
    boolean wantsSwitch(long nanos, Duration patience) {
        long part = Math.max(1, patience.dividedBy(OF_FEW_WORKERS));
        long windows = limits.window == 0 ? 1 : Math.max(1, (nanos - since) / limits.window);
        boolean isOver = nanos - since >= limits.window;
        boolean wants = lean
                ? wantsDocuments(isOver, windows, part)
                : part * unneeded >= limits.many && 10 * needed <= unneeded;
        if (isOver) {
            concernsNobody = lean && concerning == 0 && part * unneeded >= windows * limits.many;
            restart(nanos);
        }
        return wants && !isFixed;
    }

    void switchOver(long nanos) {
        concernsNobody = !lean && concerning == 0;
        lean = !lean;
        restart(nanos);
    }

    /** With documents, for now. */
    void reset(long nanos) {
        lean &= isFixed;
        concernsNobody = false;
        restart(nanos);
    }

    /** With documents, for good. */
    void stayWithDocuments() {
        lean = false;
        isFixed = true;
    }

    /** Many needed documents are a reason at once; only the end of a window shows that few rows come. */
    private boolean wantsDocuments(boolean isOver, long windows, long part) {
        return 4 * needed > unneeded + (isOver ? 0 : limits.many) || (isOver && part * unneeded < windows * limits.few);
    }

    private void restart(long nanos) {
        since = nanos;
        needed = 0;
        concerning = 0;
        unneeded = 0;
    }
}
