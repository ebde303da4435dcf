package io.couchjobs.cli;

import picocli.CommandLine.Command;

/** {@code cron ...}: the commands for schedules of recurring jobs. */
@Command(
        name = "cron",
        description = {
            "Make jobs again and again, by cron expression or interval.",
            "Their jobs are made by the processes that have a worker (couchjobs work, or your own)."
        },
        subcommands = {
            CronAddCommand.class,
            CronListCommand.class,
            CronRunCommand.class,
            CronEnableCommand.class,
            CronDisableCommand.class,
            CronRemoveCommand.class
        },
        footer = {
            "  couchjobs cron add nightly '30 2 * * *' report --zone Europe/Berlin",
            "  couchjobs cron list --next 3"
        })
final class CronCommand extends CommandGroup {}
