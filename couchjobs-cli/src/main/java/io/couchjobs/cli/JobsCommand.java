package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The base class of commands that act on one job, on the jobs that store an array, or on all jobs that pass a filter. */
abstract class JobsCommand extends QueueCommand implements TellsIds {
    @Parameters(index = "0", arity = "0..1", paramLabel = "TYPE", description = JobName.TYPE)
    private @Nullable String type;

    @Parameters(index = "1", arity = "0..1", paramLabel = "ID", description = "The id of the job.")
    private @Nullable String id;

    @Mixin
    private final FilterOptions which = new FilterOptions();

    @Mixin
    private final WhereOptions where = new WhereOptions();

    @Option(
            names = "--array",
            paramLabel = "ID",
            description =
                    "Act on the jobs that store this array of TYPE, instead of one job; with --status on some of them.")
    private @Nullable String array;

    @Option(
            names = "--all",
            description = "Act on all jobs that the options above let through, and print how many were changed, refused"
                    + " or gone. Exit code 1 when one refused.")
    private boolean all;

    @Mixin
    private final ConfirmOption confirm = new ConfirmOption();

    /** Acts on one job, and returns what it did, in the past tense. */
    abstract String act(JobQueue queue, JobId id);

    @Override
    void check() {
        if (array != null) {
            checkArray();
            return;
        } else if (!all) {
            checkSingle();
            return;
        }
        which.check();
        if (type != null) {
            throw CommandException.usage("either TYPE ID or --all, with --type for the type");
        } else if (which.isEmpty()) {
            throw CommandException.usage(
                    "all jobs of all types? Say which: --type, --status, --group, --class, --origin, --tag, --correlation,"
                            + " --site; with one of them also --where");
        }
        confirm.check(root());
    }

    private void checkArray() {
        if (type == null || id != null || all || which.type().isPresent() || !where.isEmpty()) {
            throw CommandException.usage(
                    "which array? Give TYPE and --array ID, without ID, --type, --where and --all");
        }
        new JobId(type, String.valueOf(array));
        confirm.check(root());
    }

    private void checkSingle() {
        if (type == null && !(which.isEmpty() && where.isEmpty())) {
            throw CommandException.usage("to act on all jobs that these options let through, add --all");
        }
        single();
        if (!which.isEmpty() || !where.isEmpty()) {
            throw CommandException.usage("name one job by TYPE ID, or many by --type, --status, ... and --all");
        }
    }

    @Override
    ExitCode run(JobQueue queue) {
        if (array == null && !all) {
            Outcome one = Outcome.changed(single(), act(queue, single()));
            output().line(() -> one.id() + " " + one.what(), one::json);
            return ExitCode.DONE;
        } else if (array != null) {
            checkFound(queue, array);
        }
        which.type().ifPresent(only -> warnOfSlip(only, new KnownTypes(queue)));
        confirm.ask(root(), name(), () -> passing(queue, candidates(queue)).count());
        BulkAct bulk = new BulkAct(root(), id -> act(queue, id));
        return bulk.run(passing(queue, bulk.lookAt(candidates(queue))).map(Job::id));
    }

    private void checkFound(JobQueue queue, String arrayId) {
        JobId id = new JobId(String.valueOf(type), arrayId);
        if (queue.arrays().chunks(id).findFirst().isEmpty()) {
            throw CommandException.noArray(id);
        }
    }

    private void warnOfSlip(String only, KnownTypes types) {
        if (!types.mayHaveJobs(only)) {
            root().say("couchjobs: warning: there is no job of type " + only + types.question(only));
        }
    }

    private Stream<Job> candidates(JobQueue queue) {
        return array == null
                ? queue.all(which.filter())
                : queue.arrays().chunks(new JobId(String.valueOf(type), array));
    }

    private Stream<Job> passing(JobQueue queue, Stream<Job> candidates) {
        return array == null ? where.of(queue, candidates) : candidates.filter(which.filter()::matches);
    }

    private JobId single() {
        if (type == null || (id == null && !JobName.isWhole(type))) {
            throw CommandException.usage("which job? Give TYPE and ID, or --all with --type, --status, ...");
        }
        return JobName.of(type, id);
    }
}
