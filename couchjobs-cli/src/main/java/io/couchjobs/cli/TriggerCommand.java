package io.couchjobs.cli;

import picocli.CommandLine.Command;

/** {@code trigger ...}: makes jobs from changed documents. */
@Command(
        name = "trigger",
        description = {
            "Make jobs from the changes of documents in other databases.",
            "The databases are followed by the processes that have a worker (couchjobs work, or your own)."
        },
        subcommands = {
            TriggerAddCommand.class,
            TriggerListCommand.class,
            TriggerInspectCommand.class,
            TriggerTestCommand.class,
            TriggerErrorsCommand.class,
            TriggerPauseCommand.class,
            TriggerResumeCommand.class,
            TriggerReplayCommand.class,
            TriggerRemoveCommand.class
        },
        footer = {"  couchjobs trigger add order-mail --source orders --type email", "  couchjobs trigger list"})
final class TriggerCommand extends CommandGroup {}
