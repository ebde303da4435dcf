package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.scope.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code scope stop TYPE [PARTITION]}: stops scopes. */
@Command(
        name = "stop",
        description = {
            "Let scopes take no more jobs. Waiting jobs are cancelled. Running jobs may finish, however long they take.",
            "With --timeout running jobs are killed after that time, and the command waits until nothing waits or runs:",
            "exit code 5 when jobs still wait or run some seconds later."
        },
        footer = {"  couchjobs scope stop index 3", "  couchjobs scope stop index --timeout 30s"})
final class ScopeStopCommand extends QueueCommand {
    @Mixin
    private final ScopeNames names = new ScopeNames();

    @Option(
            names = "--timeout",
            paramLabel = "D",
            description = "How long running jobs may take: 30s, 5m; 0s kills them at once.")
    private @Nullable Duration timeout;

    @Override
    void check() {
        names.check();
    }

    @Override
    ExitCode run(JobQueue queue) throws InterruptedException {
        List<Scope> scopes = names.scopes(queue);
        // All scopes are stopped before the first is awaited, because they share the time.
        scopes.forEach(queue.scopes()::stop);
        List<Scope> busy = new ArrayList<>();
        if (timeout != null) {
            Duration rest = timeout;
            long began = System.nanoTime();
            for (Scope scope : scopes) {
                if (!queue.scopes().stop(scope, rest)) {
                    busy.add(scope);
                }
                rest = left(timeout, began);
            }
        }
        ScopeText.show(output(), names.states(queue));
        if (busy.isEmpty()) {
            return ExitCode.DONE;
        }
        root().warn("couchjobs: jobs of " + busy + " still wait or run; a run ends when its handler returns,"
                + " or when its lease runs out");
        return ExitCode.TIMED_OUT;
    }

    private static Duration left(Duration timeout, long began) {
        Duration left = timeout.minusNanos(System.nanoTime() - began);
        return left.isNegative() ? Duration.ZERO : left;
    }
}
