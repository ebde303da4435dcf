package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.type.TypeSettings;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code types}: lists all types and their settings. */
@Command(
        name = "types",
        description = "List the types that have jobs or settings.",
        footer = {"  couchjobs types", "  couchjobs types -o json | jq -r .[].type"})
final class TypesCommand extends QueueCommand {
    @Override
    ExitCode run(JobQueue queue) {
        List<TypeSettings> types =
                queue.types().names().stream().map(queue.types()::settings).toList();
        output().rows(
                        () -> TypeText.table(types),
                        () -> types.stream().map(TypeText::json).toList());
        return ExitCode.DONE;
    }
}
