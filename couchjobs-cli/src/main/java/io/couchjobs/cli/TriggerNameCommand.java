package io.couchjobs.cli;

import picocli.CommandLine.Parameters;

/** The base of commands on one trigger. */
abstract class TriggerNameCommand extends QueueCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the trigger.")
    private String trigger = "";

    /** {@return the name} */
    final String trigger() {
        return trigger;
    }
}
