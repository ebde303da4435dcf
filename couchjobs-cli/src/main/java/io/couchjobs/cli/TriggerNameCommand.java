package io.couchjobs.cli;

import picocli.CommandLine.Parameters;

/** The base class of commands on one trigger. */
abstract class TriggerNameCommand extends QueueCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the trigger.")
    private String trigger = "";

    /** {@return the name of the trigger} */
    final String trigger() {
        return trigger;
    }
}
