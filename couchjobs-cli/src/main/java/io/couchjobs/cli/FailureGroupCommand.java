package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.failures.Failures;
import io.couchjobs.job.JobId;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The base class of commands that act on all jobs of a group of failures. */
abstract class FailureGroupCommand extends QueueCommand implements TellsIds {
    @Parameters(index = "0", paramLabel = "GROUP", description = "The group, as couchjobs failures names it.")
    private String group = "";

    @Mixin
    private final FailureOptions which = new FailureOptions();

    @Mixin
    private final ConfirmOption confirm = new ConfirmOption();

    /** {@return the jobs of a group that the command acts on} */
    abstract Stream<JobId> jobs(Failures failures, String group);

    /** Acts on one job, and returns what it did, in the past tense. */
    abstract String act(JobQueue queue, JobId id);

    @Override
    void check() {
        which.check();
        confirm.check(root());
    }

    @Override
    ExitCode run(JobQueue queue) {
        long count = jobs(queue).count();
        if (count == 0) {
            throw new CommandException(
                    ExitCode.NOT_FOUND,
                    "nothing to " + name() + " in group " + group + "; couchjobs failures lists the groups");
        }
        confirm.ask(root(), name(), () -> count);
        return new BulkAct(root(), id -> act(queue, id)).run(jobs(queue));
    }

    private Stream<JobId> jobs(JobQueue queue) {
        return jobs(which.failures(queue), group);
    }
}
