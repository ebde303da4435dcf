package io.couchjobs.cli;

import io.couchjobs.cli.output.Output;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The base class of all commands except groups. */
abstract class CliCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    final CommandSpec spec() {
        return spec;
    }

    final Couchjobs root() {
        return (Couchjobs) spec.root().userObject();
    }

    /** {@return the name of the command} */
    final String name() {
        return spec.name();
    }

    final Output output() {
        return root().output();
    }
}
