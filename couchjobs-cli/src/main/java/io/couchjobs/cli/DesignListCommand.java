package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.Operations;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;

/** {@code design list}: lists the design documents of this version and of the database. */
@Command(
        name = "list",
        description = "List the design documents of this version and of the database.",
        footer = {"  couchjobs design list", "  couchjobs design list -o json"})
class DesignListCommand extends QueueCommand {
    @Override
    ExitCode run(JobQueue queue) {
        show(queue.operations().designs());
        return ExitCode.DONE;
    }

    final void show(List<Operations.DesignState> states) {
        output().rows(
                        () -> table(states),
                        () -> states.stream().map(DesignListCommand::json).toList());
    }

    private static Table table(List<Operations.DesignState> states) {
        Table table = new Table("DESIGN DOCUMENT", "STATE");
        states.forEach(state -> table.row(
                Cell.of(state.name()), Cell.of(words(state.state()), state.isFine() ? Style.PLAIN : Style.BAD)));
        return table;
    }

    private static String words(Operations.DesignState.State state) {
        return switch (state) {
            case CURRENT -> "this version's, in the database";
            case MISSING -> "this version's, not in the database";
            case CHANGED -> "in the database, but somebody changed it";
            case OTHER -> "another version's, in the database";
        };
    }

    private static ObjectNode json(Operations.DesignState state) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("name", state.name())
                .put("state", state.state().name().toLowerCase(Locale.ROOT));
    }
}
