package io.couchjobs.cli;

import picocli.CommandLine.Parameters;

/** The base class of commands on one schedule. */
abstract class CronNameCommand extends QueueCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the schedule.")
    private String schedule = "";

    /** {@return the name of the schedule} */
    final String schedule() {
        return schedule;
    }
}
