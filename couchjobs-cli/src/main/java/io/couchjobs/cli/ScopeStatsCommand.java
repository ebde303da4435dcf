package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.Scopes;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code scope stats TYPE [PARTITION]}: counts the outcomes of the jobs of scopes. */
@Command(
        name = "stats",
        description = {
            "Count what became of the jobs of scopes. Jobs that retention deleted do not count any more.",
            "While the server builds an index it waits, up to 10 minutes, and says how far the server is."
        },
        footer = {"  couchjobs scope stats index", "  couchjobs scope stats index 3 -o json"})
final class ScopeStatsCommand extends QueueCommand {
    @Mixin
    private final ScopeNames names = new ScopeNames();

    @Override
    void check() {
        names.check();
    }

    @Override
    ExitCode run(JobQueue queue) throws Exception {
        Map<Scope, Scopes.Stats> stats = new LinkedHashMap<>();
        for (Scope scope : names.scopes(queue)) {
            stats.put(scope, new IndexWait(queue, root().progress()).ask(() -> queue.scopes()
                    .stats(scope)));
        }
        output().rows(() -> ScopeText.statsTable(stats), () -> ScopeText.statsJson(stats));
        return ExitCode.DONE;
    }
}
