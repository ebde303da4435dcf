package io.couchjobs.cli.logging;

import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.Cell;
import java.io.PrintStream;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/**
 * Prints each message as a line that looks like other messages of the command line. Prints details only with {@code -v}.
 * Thread-safe.
 */
final class StderrLogger extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1L;

    private final transient Supplier<PrintStream> err;

    StderrLogger(String name, Supplier<PrintStream> err) {
        this.name = name;
        this.err = err;
    }

    @Override
    public boolean isTraceEnabled() {
        return LogLevels.isEnabled(name, Level.TRACE);
    }

    @Override
    public boolean isDebugEnabled() {
        return LogLevels.isEnabled(name, Level.DEBUG);
    }

    @Override
    public boolean isInfoEnabled() {
        return LogLevels.isEnabled(name, Level.INFO);
    }

    @Override
    public boolean isWarnEnabled() {
        return LogLevels.isEnabled(name, Level.WARN);
    }

    @Override
    public boolean isErrorEnabled() {
        return LogLevels.isEnabled(name, Level.ERROR);
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String message,
            Object @Nullable [] arguments,
            @Nullable Throwable problem) {
        StringBuilder line = new StringBuilder(LogLevels.isVerbose() ? detailed(level) : plain(level));
        line.append(Cell.printable(MessageFormatter.basicArrayFormat(message, forPeople(arguments))));
        if (problem != null && !LogLevels.isVerbose()) {
            line.append(": ").append(Cell.printable(problem.toString()));
        }
        PrintStream stream = err.get();
        synchronized (stream) {
            stream.println(line);
            if (problem != null && LogLevels.isVerbose()) {
                problem.printStackTrace(stream);
            }
        }
    }

    private static String plain(Level level) {
        return switch (level) {
            case ERROR -> "couchjobs: error: ";
            case WARN -> "couchjobs: warning: ";
            case INFO, DEBUG, TRACE -> "couchjobs: ";
        };
    }

    private String detailed(Level level) {
        return LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.MILLIS) + " " + level + " "
                + name.replaceFirst(".*\\.", "") + ": ";
    }

    private static Object @Nullable [] forPeople(Object @Nullable [] arguments) {
        return arguments == null
                ? null
                : Arrays.stream(arguments)
                        .map(argument -> argument instanceof Duration time ? Durations.format(time) : argument)
                        .toArray();
    }
}
