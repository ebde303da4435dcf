package io.couchjobs.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code scope ...}: parts of the work that are started and stopped, and take only so many jobs. */
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
            "",
            "Examples:",
            "  couchjobs scope list",
            "  couchjobs scope start index 3 --concurrency 2",
            "  couchjobs scope set index --queue-limit 50"
        })
final class ScopeCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "which of its commands? list, start, stop, set, stats or history");
    }
}
