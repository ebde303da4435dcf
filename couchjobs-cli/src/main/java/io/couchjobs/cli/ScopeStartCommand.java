package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeConfig;
import io.couchjobs.scope.Scopes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code scope start TYPE [PARTITION]}: starts scopes. */
@Command(
        name = "start",
        description = {
            "Let scopes take jobs. A scope that runs already stays as it is: scope set changes it.",
            "Without options a scope has the configuration that was given last for its type.",
            "With some options, the others have their defaults."
        },
        footer = {"  couchjobs scope start index 3", "  couchjobs scope start index 3 --concurrency 'cores*2'"})
final class ScopeStartCommand extends QueueCommand implements CreatesStore {
    @Mixin
    private final ScopeNames names = new ScopeNames();

    @Mixin
    private final ScopeOptions options = new ScopeOptions();

    @Override
    void check() {
        names.check();
        options.changed(ScopeConfig.DEFAULTS);
    }

    @Override
    ExitCode run(JobQueue queue) {
        List<Scopes.State> started = new ArrayList<>();
        for (Scope scope : names.isOne() ? List.of(names.one()) : names.scopes(queue)) {
            started.add(start(queue.scopes(), scope));
        }
        ScopeText.show(output(), started);
        return ExitCode.DONE;
    }

    private Scopes.State start(Scopes scopes, Scope scope) {
        Optional<Scopes.State> present = scopes.state(scope).filter(Scopes.State::isRunning);
        if (present.isPresent()) {
            root().say("couchjobs: the scope " + scope + " runs already; nothing was written");
            return present.get();
        }
        return options.areGiven() ? scopes.start(scope, options.changed(ScopeConfig.DEFAULTS)) : scopes.start(scope);
    }
}
