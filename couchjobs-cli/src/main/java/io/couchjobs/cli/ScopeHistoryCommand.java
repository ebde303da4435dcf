package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.Job;
import io.couchjobs.scope.Scope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code scope history TYPE [PARTITION]}: lists the jobs of scopes that ended last. */
@Command(
        name = "history",
        description = {
            "List the jobs of scopes that ended last, newest first.",
            "While the server builds an index it waits, up to 10 minutes, and says how far the server is."
        },
        footer = {"  couchjobs scope history index 3", "  couchjobs scope history index --limit 100 -o json"})
final class ScopeHistoryCommand extends QueueCommand implements TellsIds {
    @Mixin
    private final ScopeNames names = new ScopeNames();

    @Option(names = "--limit", paramLabel = "N", description = "How many at most; default 20.")
    private int limit = 20;

    @Override
    void check() {
        names.check();
        if (limit < 1) {
            throw CommandException.usage("--limit must be at least 1: " + limit);
        }
    }

    @Override
    ExitCode run(JobQueue queue) throws Exception {
        List<Job> all = new ArrayList<>();
        for (Scope scope : names.scopes(queue)) {
            all.addAll(new IndexWait(queue, root().progress())
                    .ask(() -> queue.scopes().history(scope, limit)));
        }
        List<Job> newest = all.stream()
                .sorted(Comparator.comparing(ScopeHistoryCommand::end).reversed())
                .limit(limit)
                .toList();
        output().rows(
                        () -> JobText.table(newest, ServerTime.of(queue)),
                        () -> queue.withData(newest.stream()).map(JobJson::of).toList());
        return ExitCode.DONE;
    }

    private static Instant end(Job job) {
        return job.times().getOrDefault("finished", job.scheduledTime());
    }
}
