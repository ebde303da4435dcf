package io.couchjobs.job;

/**
 * Which of the due jobs are taken first. Immutable and thread-safe. Stuck jobs (retries that are due) go before others in
 * all of them but {@link #RANDOM}.
 *
 * <p>Source: docspell's Joex, for {@linkplain #fair(int, int) FAIR}: a round robin over groups, and a counting scheme over
 * two classes of priority.
 *
 * @param kind which of the three
 * @param high for FAIR: how many times in a row a group is asked for a job of high priority
 * @param low for FAIR: how many times in a row it is then asked for one of low priority
 */
public record Strategy(Kind kind, int high, int low) {
    /**
     * By scheduled time, oldest first, and by id where that is the same: the default. With one worker the order is exact; with
     * several it is approximate.
     */
    public static final Strategy FIFO = new Strategy(Kind.FIFO, 0, 0);

    /** Any of the first 1024. */
    public static final Strategy RANDOM = new Strategy(Kind.RANDOM, 0, 0);

    private static final int MOST = 1000;

    /**
     * Checks.
     *
     * @param kind which of the three
     * @param high turns for high priority
     * @param low turns for low priority
     * @throws IllegalArgumentException when a FAIR scheme is not from 0 to 1000 each, or both are 0
     */
    public Strategy {
        boolean inRange = high >= 0 && low >= 0 && high <= MOST && low <= MOST;
        if (kind == Kind.FAIR && (!inRange || high + low == 0)) {
            throw new IllegalArgumentException(
                    "fair needs two numbers from 0 to " + MOST + ", not both 0: " + high + "," + low);
        }
    }

    /**
     * Group by group: each group that has due jobs gets one turn per round, whatever it has queued. Within a group stuck
     * jobs go first, then the priority whose turn it is, by counting: with (2, 1) high, high, low. When no job of that
     * priority is due, the other one is served. A priority above {@link io.couchjobs.job.Job#DEFAULT_PRIORITY} is high,
     * all others are low. Then by scheduled time.
     *
     * @param high turns for high priority, 0 to 1000
     * @param low turns for low priority, 0 to 1000; with 0 low priority gets only the turns that high priority leaves
     * @return the strategy
     * @throws IllegalArgumentException when a number is out of range, or both are 0
     */
    public static Strategy fair(int high, int low) {
        return new Strategy(Kind.FAIR, high, low);
    }

    /** {@return whether groups take turns} */
    public boolean isFair() {
        return kind == Kind.FAIR;
    }

    /** The three orders. */
    public enum Kind {
        /** By scheduled time. */
        FIFO,
        /** Any. */
        RANDOM,
        /** Group by group. */
        FAIR
    }
}
