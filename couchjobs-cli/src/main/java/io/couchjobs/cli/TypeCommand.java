package io.couchjobs.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code type ...}: what can be done with a type. */
@Command(
        name = "type",
        description = "Change the settings of a type.",
        subcommands = TypeSetCommand.class,
        footer = {"", "Examples:", "  couchjobs type set email --timeout 5m"})
final class TypeCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which of its commands? set");
    }
}
