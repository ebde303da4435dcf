package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.Scopes;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** The scopes that a command acts on: one, or all of a type. */
final class ScopeNames {
    @Parameters(index = "0", paramLabel = "TYPE", description = "The type of the scopes.")
    private String type = "";

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "PARTITION",
            description = "The partition of one scope. Without it: all scopes of TYPE that were ever started.")
    private @Nullable String partition;

    /** Throws IllegalArgumentException when the arguments cannot name a scope. */
    void check() {
        Scope.of(type, partition == null ? "0" : partition);
    }

    boolean isOne() {
        return partition != null;
    }

    /** {@return the named scope, whether it exists or not} */
    Scope one() {
        if (partition == null) {
            throw new IllegalStateException("no partition was named");
        }
        return Scope.of(type, partition);
    }

    /** {@return the states of the scopes, at least one} Throws CommandException when there is none. */
    List<Scopes.State> states(JobQueue queue) {
        List<Scopes.State> states = partition == null
                ? queue.scopes().list(type)
                : queue.scopes().state(one()).stream().toList();
        if (states.isEmpty()) {
            throw new CommandException(
                    ExitCode.NOT_FOUND,
                    partition == null
                            ? "no scope of type \"" + type + "\" was ever started; couchjobs scope list shows all"
                            : "the scope " + one() + " was never started; couchjobs scope start starts it");
        }
        return states;
    }

    List<Scope> scopes(JobQueue queue) {
        return states(queue).stream().map(Scopes.State::scope).toList();
    }
}
