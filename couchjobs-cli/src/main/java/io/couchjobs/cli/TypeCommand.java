package io.couchjobs.cli;

import picocli.CommandLine.Command;

/** {@code type ...}: changes a type. */
@Command(
        name = "type",
        description = "Change the settings of a type.",
        subcommands = TypeSetCommand.class,
        footer = {"  couchjobs type set email --timeout 5m", "  couchjobs types"})
final class TypeCommand extends CommandGroup {}
