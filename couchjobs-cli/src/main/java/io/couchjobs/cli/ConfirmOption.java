package io.couchjobs.cli;

import java.util.function.LongSupplier;
import picocli.CommandLine.Option;

/** The option of commands that ask before they act on many jobs. */
final class ConfirmOption {
    @Option(names = "--yes", description = "Do not ask before acting on many; needed without a terminal.")
    private boolean yes;

    /** Throws CommandException when a question is needed, and there is no terminal to ask at. */
    void check(Couchjobs root) {
        if (!yes && !root.shell().terminals().hasPerson()) {
            throw CommandException.usage("there is no terminal to ask at whether to act on many jobs: add --yes");
        }
    }

    /** Asks for confirmation if there are jobs to act on. Throws CommandException when the answer is no. */
    void ask(Couchjobs root, String act, LongSupplier jobs) {
        long count = yes ? 0 : jobs.getAsLong();
        if (count > 0 && !root.shell().confirms("couchjobs: " + act + " " + Counted.of(count, "job") + "? [y/N] ")) {
            throw new CommandException(ExitCode.FAILED, "nothing done");
        }
    }
}
