package io.couchjobs.cli;

import io.couchjobs.job.JobId;

/** A command cannot go on; the message is for the person who typed it. */
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
