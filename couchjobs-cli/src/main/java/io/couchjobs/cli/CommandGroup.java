package io.couchjobs.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The base class of commands that only group other commands. */
abstract class CommandGroup implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public final void run() {
        throw new ParameterException(
                spec.commandLine(),
                "which of its commands? " + String.join(", ", spec.subcommands().keySet()));
    }
}
