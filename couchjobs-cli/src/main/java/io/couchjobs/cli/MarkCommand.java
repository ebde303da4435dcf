package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.admin.History;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code mark TEXT}: adds a mark to the history. */
@Command(
        name = "mark",
        description = {
            "Add a mark, such as a deploy, to the charts of the dashboard and to couchjobs history.",
            "Its time is now, by the server's clock."
        },
        footer = {"  couchjobs mark v1.4", "  couchjobs mark \"mail server replaced\""})
final class MarkCommand extends QueueCommand implements CreatesStore {
    @Parameters(paramLabel = "TEXT", description = "The event, in up to 200 characters.")
    private String text = "";

    @Override
    ExitCode run(JobQueue queue) {
        History.Mark mark = queue.operations().history().mark(text);
        output().line(() -> mark.at() + "  " + mark.text(), () -> HistoryText.json(mark));
        return ExitCode.DONE;
    }
}
