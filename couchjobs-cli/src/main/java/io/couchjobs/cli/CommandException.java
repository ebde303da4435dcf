package io.couchjobs.cli;

import io.couchjobs.job.JobId;

/** Thrown when a command cannot continue; the message is for its user. */
final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;

    CommandException(ExitCode exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    ExitCode exitCode() {
        return exitCode;
    }

    static CommandException usage(String message) {
        return new CommandException(ExitCode.USAGE, message);
    }

    static CommandException noArray(JobId id) {
        return new CommandException(ExitCode.NOT_FOUND, "no such array: " + id);
    }
}
