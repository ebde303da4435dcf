package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeConfig;
import io.couchjobs.scope.Scopes;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code scope set TYPE [PARTITION]}: changes the configuration of scopes. */
@Command(
        name = "set",
        description = {
            "Change how much scopes take, also while they run. No run is stopped, and no waiting job is lost.",
            "A value that is not named stays as it is; the word \"default\" takes a value back to its default."
        },
        footer = {
            "  couchjobs scope set index 3 --concurrency 'cores*2'",
            "  couchjobs scope set index --queue-limit default"
        })
final class ScopeSetCommand extends QueueCommand implements CreatesStore {
    @Mixin
    private final ScopeNames names = new ScopeNames();

    @Mixin
    private final ScopeOptions options = new ScopeOptions();

    @Override
    void check() {
        names.check();
        if (!options.areGiven()) {
            throw CommandException.usage("what to set? " + ScopeOptions.NAMES);
        }
        options.changed(ScopeConfig.DEFAULTS);
    }

    @Override
    ExitCode run(JobQueue queue) {
        List<Scopes.State> changed = new ArrayList<>();
        for (Scope scope : names.scopes(queue)) {
            queue.scopes().reconfigure(scope, options::changed).ifPresent(changed::add);
        }
        ScopeText.show(output(), changed);
        return ExitCode.DONE;
    }
}
