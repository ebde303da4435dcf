package io.couchjobs.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code design ...}: the design documents here and there. */
@Command(
        name = "design",
        description = "Compare and push the design documents.",
        subcommands = {DesignListCommand.class, DesignDiffCommand.class, DesignPushCommand.class},
        footer = {"", "Examples:", "  couchjobs design list", "  couchjobs design diff || couchjobs design push"})
final class DesignCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which of its commands? list, diff or push");
    }
}
