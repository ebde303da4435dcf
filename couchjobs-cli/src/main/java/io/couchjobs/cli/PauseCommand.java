package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobId;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code pause TYPE}: stops workers from claiming jobs of a type. */
@Command(
        name = "pause",
        description = "Stop all workers from claiming jobs of a type; running jobs go on.",
        footer = {
            "  couchjobs pause email --reason 'the mail server moves'",
            "  couchjobs pause email && couchjobs list --type email --status running"
        })
final class PauseCommand extends QueueCommand implements CreatesStore {
    @Parameters(paramLabel = "TYPE", description = "The type.")
    private String type = "";

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "Why; types and explain show it until it is resumed.")
    private @Nullable String reason;

    @Override
    void check() {
        JobId.checkType(type);
    }

    @Override
    ExitCode run(JobQueue queue) {
        TypeText.show(
                output(),
                queue.types()
                        .change(
                                type,
                                settings -> reason == null ? settings.withPaused(true) : settings.withPaused(reason)));
        if (!new KnownTypes(queue).mayHaveJobs(type)) {
            root().say("couchjobs: warning: there is no job of type " + type + " yet; it is paused for the first one");
        }
        return ExitCode.DONE;
    }
}
