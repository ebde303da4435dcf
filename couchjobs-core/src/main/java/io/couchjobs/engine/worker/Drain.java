package io.couchjobs.engine.worker;

import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.log.JobLogs;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.worker.RunReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs all due jobs in the calling thread, one after the other, by the same rules as a worker. Used by one thread. */
public final class Drain {
    private static final int MOST_RUNS = 10_000;

    private final QueueParts parts;
    private final WorkerOptions options;

    Drain(QueueParts parts, WorkerOptions options) {
        this.parts = parts;
        this.options = options;
    }

    List<RunReport> run() throws InterruptedException {
        try (Finder finder = new Finder(parts, options.id());
                Dependencies held = new Dependencies(parts);
                ProgressWriter progressWriter = new ProgressWriter(parts.store().environment())) {
            if (!options.hasOwnId()) {
                finder.candidates().beginAnywhere();
            }
            finder.admission().filter(options.selection().filter());
            finder.admission().classes(options.selection().classes());
            return run(
                    finder,
                    held,
                    new RunTools(
                            parts,
                            options,
                            progressWriter,
                            new TimeLimits(Optional.empty(), parts.store().environment()),
                            finder.limits(),
                            new JobLogs(parts.store(), parts.feed())));
        }
    }

    private List<RunReport> run(Finder finder, Dependencies held, RunTools tools) throws InterruptedException {
        AcceptOptions next = AcceptOptions.of(options.handlers().keySet().toArray(new String[0]))
                .max(1)
                .timeout(Duration.ZERO)
                .strategy(options.selection().strategy());
        List<RunReport> reports = new ArrayList<>();
        while (reports.size() < options.maxJobs()) {
            held.settle();
            finder.limits().awaitGivenBack();
            List<LeasedJob> claimed = finder.accept(next);
            if (claimed.isEmpty()) {
                break;
            }
            if (reports.size() == MOST_RUNS) {
                claimed.forEach(Executor::giveBack);
                throw new IllegalStateException("after " + MOST_RUNS + " runs there is still something due, now "
                        + claimed.get(0).id() + "; does a handler add jobs for ever?");
            }
            reports.add(run(claimed.get(0), tools));
        }
        return List.copyOf(reports);
    }

    private RunReport run(LeasedJob claim, RunTools tools) {
        LogContext.set(options.id(), claim.job());
        try {
            Run run = tools.run(claim);
            run.call();
            RunReport report = run.writeEnd(false);
            options.listener().accept(report);
            return report;
        } finally {
            LogContext.clear();
        }
    }
}
