package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.scope.Scopes;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code scope list [TYPE]}: lists the scopes that were ever started. */
@Command(
        name = "list",
        description = "List the scopes that were ever started, by type and partition.",
        footer = {"  couchjobs scope list", "  couchjobs scope list index -o json"})
final class ScopeListCommand extends QueueCommand {
    @Parameters(index = "0", arity = "0..1", paramLabel = "TYPE", description = "Only scopes of this type.")
    private @Nullable String type;

    @Override
    ExitCode run(JobQueue queue) {
        List<Scopes.State> states =
                type == null ? queue.scopes().list() : queue.scopes().list(type);
        ScopeText.show(output(), states);
        return ExitCode.DONE;
    }
}
