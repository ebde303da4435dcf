package io.couchjobs.cli.logging;

import org.slf4j.event.Level;

/** Decides which messages are logged, for the whole process. Thread-safe; a change applies at once. */
public final class LogLevels {
    private static volatile boolean verbose;
    private static volatile boolean quiet;

    private LogLevels() {}

    /**
     * Sets the level. Only couchjobs itself logs in detail, because the log of an HTTP client would show passwords.
     *
     * @param isVerbose whether to log everything that couchjobs does
     * @param isQuiet whether to log only errors, and no logs of jobs
     */
    public static void configure(boolean isVerbose, boolean isQuiet) {
        verbose = isVerbose;
        quiet = isQuiet;
    }

    static boolean isVerbose() {
        return verbose;
    }

    static boolean isEnabled(String logger, Level level) {
        return level.toInt() >= least(logger).toInt();
    }

    private static Level least(String logger) {
        if (logger.equals("couchjobs.job")) {
            return quiet ? Level.ERROR : Level.INFO;
        } else if (!logger.startsWith("io.couchjobs.") || quiet) {
            return Level.ERROR;
        }
        return verbose ? Level.DEBUG : Level.WARN;
    }
}
