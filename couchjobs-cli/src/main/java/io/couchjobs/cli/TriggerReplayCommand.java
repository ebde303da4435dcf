package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code trigger replay NAME}: makes jobs for the same changes once more. */
@Command(
        name = "replay",
        description = {
            "Send a trigger back: it makes jobs for the same changes once more.",
            "An outbox entry makes no new job while the job it made before is still kept.",
            "With --from now it repeats no change, and skips the changes that wait."
        },
        footer = {
            "  couchjobs trigger replay order-mail --from beginning",
            "  couchjobs trigger replay order-mail --from now"
        })
final class TriggerReplayCommand extends TriggerNameCommand {
    @Option(
            names = "--from",
            paramLabel = "now|beginning|SEQ",
            required = true,
            description = "Where it goes on: now, the beginning, or a position of its source's feed.")
    private String from = "";

    @Override
    ExitCode run(JobQueue queue) {
        queue.triggers().replay(trigger(), from);
        TriggerText.done(output(), trigger(), "replayed");
        return ExitCode.DONE;
    }
}
