package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.Operations;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code design diff}: lists the design documents that are missing or changed. */
@Command(
        name = "diff",
        description = "List the design documents that are missing or changed; exit code 1 when there are any.",
        footer = {"  couchjobs design diff || couchjobs design push", "  couchjobs design diff -o json"})
final class DesignDiffCommand extends DesignListCommand {
    @Override
    ExitCode run(JobQueue queue) {
        List<Operations.DesignState> different = queue.operations().designs().stream()
                .filter(state -> !state.isFine())
                .toList();
        show(different);
        return different.isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
    }
}
