package io.couchjobs.cli.output;

import java.io.PrintWriter;
import java.util.function.LongSupplier;

/**
 * Shows the progress of a long command on standard error: on a terminal, one line that is overwritten; otherwise, a line now and
 * then. Thread-safe.
 */
public final class ProgressLine {
    /** How the progress is shown. */
    public enum Mode {
        /** Not at all. */
        OFF,
        /** A line every two seconds at most. */
        LINES,
        /** One line, overwritten ten times a second at most. */
        TERMINAL
    }

    /** The longest line. A line that a terminal breaks cannot be overwritten. */
    private static final int WIDTH = 79;

    private final PrintWriter err;
    private final Mode mode;
    private final LongSupplier nanoTime;
    private long next;
    private int shown;

    /**
     * Creates a progress line that has not been shown yet.
     *
     * @param err standard error
     * @param mode how the progress is shown
     * @param nanoTime a monotonic clock, in nanoseconds
     */
    public ProgressLine(PrintWriter err, Mode mode, LongSupplier nanoTime) {
        this.err = err;
        this.mode = mode;
        this.nanoTime = nanoTime;
        this.next = nanoTime.getAsLong() + pause();
    }

    /**
     * Shows a new state, unless the last one was shown a moment ago.
     *
     * @param state what to show; one line
     */
    public synchronized void update(String state) {
        if (mode == Mode.OFF || nanoTime.getAsLong() - next < 0) {
            return;
        }
        next = nanoTime.getAsLong() + pause();
        if (mode == Mode.LINES) {
            err.println(state);
        } else {
            String line = state.substring(0, Math.min(WIDTH, state.length()));
            err.print("\r" + line + " ".repeat(Math.max(0, shown - line.length())));
            shown = line.length();
        }
        err.flush();
    }

    /** Erases the line, so that something else can be printed; the next update shows it again. */
    public synchronized void clear() {
        if (shown > 0) {
            err.print("\r" + " ".repeat(shown) + "\r");
            err.flush();
            shown = 0;
        }
    }

    private long pause() {
        return mode == Mode.TERMINAL ? 100_000_000L : 2_000_000_000L;
    }
}
