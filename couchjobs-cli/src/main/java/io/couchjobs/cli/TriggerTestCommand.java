package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobRequest;
import io.couchjobs.trigger.Trigger;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code trigger test NAME --doc ID}: shows the job that a trigger would make. */
@Command(
        name = "test",
        description = {
            "Show the job that a trigger would make of a document as it is now. Makes nothing.",
            "With -o json, the jobs of an outbox are shown as an array. When there is no job, the array is empty."
        },
        footer = {
            "  couchjobs trigger test order-mail --doc o1",
            "  couchjobs trigger test user-docs --doc note-7 --database userdb-616461"
        })
final class TriggerTestCommand extends TriggerNameCommand implements TellsIds {
    @Option(names = "--doc", paramLabel = "ID", required = true, description = "The id of the document.")
    private String doc = "";

    @Option(names = "--database", paramLabel = "DB", description = "Its database, where the source is a pattern.")
    private @Nullable String database;

    @Override
    ExitCode run(JobQueue queue) {
        Trigger.Plan plan = queue.triggers().test(trigger(), Optional.ofNullable(database), doc);
        plan.leftOut().ifPresent(why -> root().say("couchjobs: no job: " + why));
        plan.problems().forEach(problem -> root().warn("couchjobs: no job: " + problem));
        show(
                plan.jobs(),
                queue.triggers().get(trigger()).flatMap(Trigger::outbox).isPresent());
        return plan.problems().isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
    }

    private void show(List<JobRequest> jobs, boolean isOutbox) {
        if (isOutbox || jobs.isEmpty()) {
            output().lines(jobs, job -> TriggerText.json(job).toString(), TriggerText::json);
        } else {
            jobs.forEach(job -> output().line(() -> TriggerText.json(job).toString(), () -> TriggerText.json(job)));
        }
    }
}
