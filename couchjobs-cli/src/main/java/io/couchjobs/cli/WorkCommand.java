package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import io.couchjobs.job.Site;
import io.couchjobs.job.Strategy;
import io.couchjobs.process.ProcessHandler;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code work TYPE -- COMMAND}: runs a program for each job. */
@Command(
        name = "work",
        description = {
            "Run a program for each job of one or more types.",
            "The program gets the job's data as JSON on standard input, and COUCHJOBS_TYPE, COUCHJOBS_ID, COUCHJOBS_ATTEMPT,",
            "COUCHJOBS_TOKEN and COUCHJOBS_FENCE in its environment; for an item of an array also COUCHJOBS_ITEM.",
            "The first MB of its output becomes the result: as it is if it is JSON, else as",
            "{\"output\": \"...\"}. Its standard error becomes the job's log.",
            "The program also has the whole environment of this command, COUCHJOBS_PASSWORD included, so that it can",
            "use couchjobs itself. To keep the password from the program, give it in a file (--password-file), or take the",
            "variable away by env -u.",
            "Exit code 0 of the program means success, 65 failed for good; after any other the job is retried.",
            "When a job is cancelled, lost or too slow its program and all that it started get a TERM, 10 s later a KILL.",
            "After Ctrl-C (or TERM) the running programs finish, and the exit code is not affected. A second Ctrl-C stops",
            "them, gives their jobs back if the server answers, and ends the command within 5 s with exit code 130.",
            "A failed job is recorded in the queue and told at the end. It changes the exit code with --fail only.",
            "With --alarm it also watches the whole queue, as couchjobs watch --alarm does."
        },
        footer = {
            "  couchjobs work email -- ./send-mail --from noreply@example.org",
            "  couchjobs work sha256 --until-empty --concurrency 4 -- ./my-script",
            "  couchjobs work sha256 --until-empty --fail -- ./my-script",
            "  couchjobs work resize,crop --time-limit 5m -- python3 image.py",
            "  couchjobs work report --fair 2,1 -- ./make-report",
            "  couchjobs work email -- env -u COUCHJOBS_PASSWORD ./send-mail",
            "  couchjobs work email --alarm --webhook https://example.org/hook -- ./send-mail"
        })
final class WorkCommand extends QueueCommand implements CreatesStore {
    @Parameters(
            index = "0",
            arity = "1",
            split = ",",
            paramLabel = "TYPE[,TYPE...]",
            hideParamSyntax = true,
            description = "The types of the jobs.")
    private List<String> types = List.of();

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "COMMAND", description = "The program and its arguments.")
    private List<String> command = List.of();

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            description = "How many at once: a number, cores, or cores*N; default one per processor.")
    private @Nullable String concurrency;

    @Option(
            names = "--until-empty",
            description =
                    "Stop when no job is due and none is running; retries for later stay. Jobs whose rate is used up are waited for.")
    private boolean untilEmpty;

    @Option(names = "--fail", description = "End with exit code 1 when a job failed for good.")
    private boolean fail;

    @Option(names = "--max-jobs", paramLabel = "N", description = "Stop after so many jobs.")
    private @Nullable Long maxJobs;

    @Option(
            names = "--id",
            paramLabel = "WORKER",
            description =
                    "A name; with it a restarted worker gets its jobs back, and with --fair goes on after the group it last took from.")
    private @Nullable String workerId;

    @Option(names = "--time-limit", paramLabel = "D", description = "How long a job, or an item of an array, may take.")
    private @Nullable Duration timeLimit;

    @Option(
            names = "--fair",
            paramLabel = "H,L",
            converter = FairScheme.class,
            description =
                    "Take turns between groups of jobs, and within a group H jobs of high priority (above 50), then"
                            + " L of low priority, such as 2,1; default: the oldest job first.")
    private @Nullable Strategy fair;

    @Option(
            names = "--site",
            paramLabel = "NAME",
            description = "Run the jobs of this site; default: the site of the database (couchjobs init --site).")
    private @Nullable String site;

    @Mixin
    private final AlarmOptions alarms = new AlarmOptions();

    private @Nullable ProcessHandler program;

    @Override
    void check() {
        alarms.check();
        types.forEach(JobId::checkType);
        Optional.ofNullable(site).ifPresent(Site::checkName);
        checkConcurrency();
        require(maxJobs == null || maxJobs >= 1, "--max-jobs must be at least 1");
        require(timeLimit == null || !timeLimit.isZero(), "--time-limit must be positive");
        program = ProcessHandler.of(command, root().shell().variable("PATH").orElse("/usr/bin:/bin"));
    }

    private void checkConcurrency() {
        try {
            require(concurrency == null || WorkerBuilder.slots(concurrency) >= 1, "--concurrency must be at least 1");
        } catch (IllegalArgumentException e) {
            throw CommandException.usage("--" + e.getMessage());
        }
    }

    @Override
    JobQueue open(Session session) {
        return session.queueAt(site);
    }

    @Override
    ExitCode run(JobQueue queue) throws InterruptedException {
        if (program == null) {
            throw new IllegalStateException("run before check");
        }
        KnownTypes known = new KnownTypes(queue);
        types.stream().distinct().flatMap(type -> known.warning(type).stream()).forEach(root()::say);
        Listening watching = watchForAlarms(queue);
        Shutdown shutdown = Shutdown.onSignals(root()::say);
        try (Worker worker = shutdown.start(builder(queue, program))) {
            root().say("couchjobs: worker " + worker.id() + " runs jobs of " + String.join(", ", types)
                    + (untilEmpty ? " until there are none" : "") + "; Ctrl-C to stop");
            worker.awaitStopped();
            output().line(() -> text(worker.stats()), () -> json(worker));
            tellFailures(worker.stats().failed());
            shutdown.awaitClosed();
            if (shutdown.leftWorkUndone()) {
                return ExitCode.INTERRUPTED;
            }
            return fail && worker.stats().failed() > 0 ? ExitCode.FAILED : ExitCode.DONE;
        } finally {
            watching.close();
        }
    }

    private Listening watchForAlarms(JobQueue queue) {
        return alarms.areOn()
                ? alarms.of(queue)
                        .tell(alarm -> root().say("couchjobs: " + AlarmOptions.text(alarm)))
                        .start()
                : () -> {};
    }

    private void tellFailures(long failed) {
        if (failed > 0) {
            root().say("couchjobs: " + failed + (failed == 1 ? " job" : " jobs")
                    + " failed for good; see couchjobs list --status failed");
        }
    }

    private WorkerBuilder builder(JobQueue queue, ProcessHandler handler) {
        WorkerBuilder worker = queue.worker().onRunEnded(this::report);
        types.stream().distinct().forEach(type -> worker.handler(type, handler));
        Optional.ofNullable(concurrency).ifPresent(worker::concurrency);
        if (untilEmpty) {
            worker.untilEmpty();
        }
        Optional.ofNullable(maxJobs).ifPresent(worker::maxJobs);
        Optional.ofNullable(workerId).ifPresent(worker::id);
        Optional.ofNullable(timeLimit).ifPresent(worker::timeLimit);
        Optional.ofNullable(fair).ifPresent(worker::strategy);
        return worker;
    }

    private void report(RunReport report) {
        String what =
                switch (report.outcome()) {
                    case SUCCEEDED -> "";
                    case RETRIED -> "failed, will be retried";
                    case FAILED -> "failed for good";
                    case CANCELLED -> "was cancelled";
                    case RELEASED -> "was given back";
                    case HALTED -> "was lost while it ran";
                };
        if (!what.isEmpty()) {
            String why = report.message().map(message -> ": " + message).orElse("");
            root().say("couchjobs: " + report.id() + " " + what + " (attempt " + report.attempt() + ")" + why);
        }
    }

    private static String text(Worker.Stats stats) {
        return "claimed " + stats.claimed() + ": " + stats.succeeded() + " succeeded, " + stats.retried()
                + " to be retried, "
                + stats.failed() + " failed, " + stats.cancelled() + " cancelled, " + stats.released() + " given back, "
                + stats.halted() + " lost; " + stats.conflicts() + " claims lost to other workers";
    }

    /** {@return the counts of a worker so far, as JSON for programs} */
    static ObjectNode json(Worker worker) {
        Worker.Stats stats = worker.stats();
        return JsonNodeFactory.instance
                .objectNode()
                .put("worker", worker.id())
                .put("claimed", stats.claimed())
                .put("succeeded", stats.succeeded())
                .put("retried", stats.retried())
                .put("failed", stats.failed())
                .put("cancelled", stats.cancelled())
                .put("released", stats.released())
                .put("halted", stats.halted())
                .put("conflicts", stats.conflicts())
                .put("recovered", stats.recovered())
                .put("skipped", stats.skipped());
    }

    private static void require(boolean holds, String problem) {
        if (!holds) {
            throw CommandException.usage(problem);
        }
    }
}
