package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.JobQueue;
import io.couchjobs.trigger.TriggerStatus;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code trigger errors NAME}: lists the changes that failed. */
@Command(
        name = "errors",
        description = {
            "List the changes of which a trigger could not make a job, the newest 20 of each database.",
            "With --retry they are tried again, with the documents as they are now."
        },
        footer = {"  couchjobs trigger errors order-mail", "  couchjobs trigger errors order-mail --retry"})
final class TriggerErrorsCommand extends TriggerNameCommand {
    @Option(names = "--retry", description = "Try them again.")
    private boolean retry;

    @Override
    boolean tellsIds() {
        return !retry;
    }

    @Override
    ExitCode run(JobQueue queue) {
        if (retry) {
            int count = queue.triggers().retryErrors(trigger());
            output().line(() -> count + " to be tried again", () -> JsonNodeFactory.instance
                    .objectNode()
                    .put("name", trigger())
                    .put("retried", count));
            return ExitCode.DONE;
        }
        List<TriggerStatus.Failure> errors = queue.triggers().errors(trigger());
        output().rows(
                        () -> TriggerText.errors(errors),
                        () -> errors.stream().map(TriggerText::json).toList());
        return ExitCode.DONE;
    }
}
