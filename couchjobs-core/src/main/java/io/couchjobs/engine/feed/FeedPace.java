package io.couchjobs.engine.feed;

import java.time.Duration;

/**
 * Decides whether the feed is read with documents or without. It is read without documents while many rows come and
 * hardly any of their documents are needed. If none of the jobs among the rows concerns a listener, rows may be
 * skipped. Not thread-safe.
 *
 * <p>A switch costs a request. So more rows are needed to begin reading without documents than to continue.
 */
final class FeedPace {
    /** The default: 200 unneeded documents within a second are many; fewer than 50 are few. */
    static final FeedPace.Limits DEFAULT = new FeedPace.Limits(200, 50, 1_000_000_000);

    /** The patience of the listeners of ten idle workers. */
    private static final Duration OF_FEW_WORKERS = Duration.ofMillis(200);

    private final Limits limits;
    private boolean lean;
    private boolean isFixed;
    private long since;
    private long needed;
    private long unneeded;
    /** The number of needed documents that are jobs or chunks of their logs. */
    private long concerning;

    private boolean concernsNobody;

    /**
     * The limits that decide when to switch.
     *
     * @param many from this number of unneeded documents in a window on, documents are left out
     * @param few below this number, documents are read again
     * @param window the length of a window in nanoseconds
     */
    record Limits(int many, int few, long window) {}

    FeedPace(Limits limits, long nanos) {
        this.limits = limits;
        this.since = nanos;
    }

    /** Returns a pace that never switches. */
    static FeedPace fixed(boolean lean) {
        FeedPace pace = new FeedPace(DEFAULT, 0);
        pace.lean = lean;
        pace.isFixed = true;
        return pace;
    }

    /** {@return whether the feed must be read without documents} */
    boolean isLean() {
        return lean;
    }

    /** {@return whether very many rows came in the last window, and none was of a job that concerns a listener} */
    boolean mayBeSkipped() {
        return concernsNobody;
    }

    void saw(boolean isNeeded, boolean isOfMany) {
        needed += isNeeded ? 1 : 0;
        concerning += isNeeded && isOfMany ? 1 : 0;
        unneeded += isNeeded ? 0 : 1;
    }

    /**
     * Returns whether this number of rows is better skipped than read. To look anew costs the server about as much as
     * to read 200 rows.
     */
    boolean areMany(long rows) {
        return rows >= limits.many;
    }

    /** Counts skipped rows. */
    void skipped(long rows) {
        unneeded += rows;
    }

    /**
     * Returns whether it is time to switch between reading with and without documents.
     *
     * @param patience the patience of the listeners. Each worker of a fleet reads all rows, and the listeners are more
     *     patient the more workers there are. With a patience of one second, a fifth of the usual rows counts as many,
     *     or as few
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

    /** Reads with documents again, until many rows come. */
    void reset(long nanos) {
        lean &= isFixed;
        concernsNobody = false;
        restart(nanos);
    }

    /** Reads with documents from now on. */
    void stayWithDocuments() {
        lean = false;
        isFixed = true;
    }

    /**
     * Returns whether documents must be read again. Many needed documents suffice at any time. Only the end of a window
     * shows that few rows come.
     */
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
