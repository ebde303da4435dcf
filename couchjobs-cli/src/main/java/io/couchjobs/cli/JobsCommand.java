package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Table;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.store.ContentionException;
import io.couchjobs.store.JobNotFoundException;
import io.couchjobs.store.JobRefusedException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What commands that act on one job, or on all that pass a filter, have in common. */
abstract class JobsCommand extends QueueCommand {
    @Parameters(index = "0", arity = "0..1", paramLabel = "TYPE", description = "The type of the job.")
    private @Nullable String type;

    @Parameters(index = "1", arity = "0..1", paramLabel = "ID", description = "The id of the job.")
    private @Nullable String id;

    @Mixin
    private final FilterOptions which = new FilterOptions();

    @Option(names = "--all", description = "Act on all jobs that the options above let through.")
    private boolean all;

    @Option(names = "--yes", description = "Do not ask before acting on many.")
    private boolean yes;

    /** What became of one job. */
    private record Done(JobId id, String result, boolean refused) {}

    /** Acts on one job; returns what it did, in the past tense. */
    abstract String act(JobQueue queue, JobId id);

    @Override
    void check() {
        if (!all) {
            single();
            if (!which.isEmpty()) {
                throw CommandException.usage("name one job by TYPE ID, or many by --type, --status, ... and --all");
            }
            return;
        }
        which.check();
        if (type != null) {
            throw CommandException.usage("either TYPE ID or --all, with --type for the type");
        } else if (which.isEmpty()) {
            throw CommandException.usage("all jobs of all types? Say which: --type, --status, --group, --tag");
        } else if (!yes && !root().shell().terminals().in()) {
            throw CommandException.usage("nobody is there to confirm this: add --yes");
        }
    }

    @Override
    ExitCode run(JobQueue queue) {
        if (!all) {
            Done one = new Done(single(), act(queue, single()), false);
            output().line(() -> one.id + " " + one.result, () -> json(one));
            return ExitCode.DONE;
        }
        List<JobId> ids = queue.list(which.filter(), Integer.MAX_VALUE).stream()
                .map(Job::id)
                .toList();
        if (!yes && !confirmed(ids.size())) {
            throw new CommandException(ExitCode.FAILED, "nothing done");
        }
        List<Done> done = new ArrayList<>();
        ids.forEach(one -> done.add(attempt(queue, one)));
        show(done);
        return done.stream().anyMatch(Done::refused) ? ExitCode.REFUSED : ExitCode.DONE;
    }

    /** Between the list and the act anything can happen to a job; that is no reason to leave the others alone. */
    private Done attempt(JobQueue queue, JobId one) {
        try {
            return new Done(one, act(queue, one), false);
        } catch (JobNotFoundException gone) {
            return new Done(one, "is gone", false);
        } catch (JobRefusedException | ContentionException refused) {
            return new Done(one, String.valueOf(refused.getMessage()), true);
        }
    }

    private boolean confirmed(int count) {
        root().shell().err().print("couchjobs: act on " + count + " jobs? [y/N] ");
        root().shell().err().flush();
        return root().shell().readLine().strip().equalsIgnoreCase("y");
    }

    private JobId single() {
        if (type == null || id == null) {
            throw CommandException.usage("which job? Give TYPE and ID, or --all with --type, --status, ...");
        }
        return new JobId(type, id);
    }

    private void show(List<Done> done) {
        output().rows(
                        () -> table(done),
                        () -> done.stream().map(JobsCommand::json).toList());
    }

    private static Table table(List<Done> done) {
        Table table = new Table("TYPE", "ID", "RESULT");
        done.forEach(one -> table.row(Cell.of(one.id.type()), Cell.of(one.id.id()), Cell.of(one.result)));
        return table;
    }

    private static ObjectNode json(Done one) {
        return JobJson.of(one.id).put("result", one.result);
    }
}
