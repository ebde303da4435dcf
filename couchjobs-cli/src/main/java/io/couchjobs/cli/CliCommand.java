package io.couchjobs.cli;

import io.couchjobs.cli.output.Output;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The base of all commands but groups: knows the root and what was typed. */
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

    /** {@return what the person typed to get here} */
    final String name() {
        return spec.name();
    }

    final Output output() {
        return root().output();
    }
}
