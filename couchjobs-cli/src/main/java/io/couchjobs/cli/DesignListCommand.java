package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code design list}: the design documents of this version and of the database. */
@Command(
        name = "list",
        description = "List the design documents of this version and of the database.",
        footer = {"", "Examples:", "  couchjobs design list"})
class DesignListCommand extends QueueCommand {
    @Override
    ExitCode run(JobQueue queue) {
        show(DesignState.all(queue.designDocuments()));
        return ExitCode.DONE;
    }

    final void show(List<DesignState> states) {
        output().rows(
                        () -> table(states),
                        () -> states.stream().map(DesignState::json).toList());
    }

    private static Table table(List<DesignState> states) {
        Table table = new Table("DESIGN DOCUMENT", "STATE");
        states.forEach(state -> table.row(
                Cell.of(state.name()), Cell.of(state.state().words(), state.isFine() ? Style.PLAIN : Style.BAD)));
        return table;
    }
}
