package io.couchjobs.cli;

import picocli.CommandLine.Command;

/** {@code design ...}: compares and pushes the design documents. */
@Command(
        name = "design",
        description = "Compare and push the design documents.",
        subcommands = {DesignListCommand.class, DesignDiffCommand.class, DesignPushCommand.class},
        footer = {"  couchjobs design list", "  couchjobs design diff || couchjobs design push"})
final class DesignCommand extends CommandGroup {}
