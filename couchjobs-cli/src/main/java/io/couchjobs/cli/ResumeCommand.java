package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobId;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code resume TYPE}: lets workers claim jobs of a type again. */
@Command(
        name = "resume",
        description = "Let workers claim jobs of a type again.",
        footer = {"  couchjobs resume email", "  couchjobs resume email -o json"})
final class ResumeCommand extends QueueCommand {
    @Parameters(paramLabel = "TYPE", description = "The type.")
    private String type = "";

    @Override
    void check() {
        JobId.checkType(type);
    }

    @Override
    ExitCode run(JobQueue queue) {
        KnownTypes types = new KnownTypes(queue);
        if (!types.mayExist(type)) {
            root().say("couchjobs: warning: there is no job of type " + type + ", and it was not paused"
                    + types.question(type));
            TypeText.show(output(), queue.types().settings(type));
            return ExitCode.DONE;
        }
        // Written even if the type is not paused here: a node that is cut off may not know of the pause.
        TypeText.show(output(), queue.types().change(type, settings -> settings.withPaused(false)));
        return ExitCode.DONE;
    }
}
