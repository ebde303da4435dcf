package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.output.Format;
import io.couchjobs.job.JobId;
import io.couchjobs.job.WorkerInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code workers}: lists workers and their jobs. */
@Command(
        name = "workers",
        description = {
            "List workers and the jobs they run.",
            "A worker is silent when it has missed two signs of life. It gives one every third of the shortest timeout of its",
            "jobs, and every five minutes at least. So a dead worker without jobs is shown as live for ten minutes.",
            "An unregistered worker is dead, claims by hand, or is a program in Python or JavaScript. Any other",
            "worker takes back the jobs of a dead one when the timeout of their type is over."
        },
        footer = {"  couchjobs workers", "  couchjobs workers --type email -o json"})
final class WorkersCommand extends QueueCommand implements TellsIds {
    @Option(names = "--type", paramLabel = "T", description = "Only workers that take this type, or run a job of it.")
    private @Nullable String type;

    @Override
    void check() {
        if (type != null) {
            JobId.checkType(type);
        }
    }

    @Override
    ExitCode run(JobQueue queue) {
        WorkerView view = WorkerView.of(queue, this::concerns);
        boolean onlyIds = output().format() == Format.ID;
        output().rows(view::table, () -> (onlyIds ? view : view.withData(queue)).json());
        return ExitCode.DONE;
    }

    private boolean concerns(WorkerInfo worker) {
        return type == null
                || worker.registration()
                        .map(WorkerInfo.Registered::types)
                        .orElse(List.of())
                        .contains(type)
                || worker.jobs().stream().anyMatch(owned -> owned.id().type().equals(type));
    }
}
