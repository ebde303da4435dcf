package io.couchjobs.cli;

import picocli.CommandLine.Command;

/** {@code scope ...}: starts, stops and changes scopes, parts of the work that take only so many jobs. */
@Command(
        name = "scope",
        description = {
            "Start, stop and change scopes: parts of the work that take only so many jobs.",
            "A scope is named by a type and a partition. Programs serve it and follow changes within a second."
        },
        subcommands = {
            ScopeListCommand.class,
            ScopeStartCommand.class,
            ScopeStopCommand.class,
            ScopeSetCommand.class,
            ScopeStatsCommand.class,
            ScopeHistoryCommand.class
        },
        footer = {
            "  couchjobs scope list",
            "  couchjobs scope start index 3 --concurrency 2",
            "  couchjobs scope set index --queue-limit 50"
        })
final class ScopeCommand extends CommandGroup {}
