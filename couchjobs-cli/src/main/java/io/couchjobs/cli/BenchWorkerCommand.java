package io.couchjobs.cli;

import io.couchjobs.cli.bench.WorkerLoop;
import picocli.CommandLine.Command;

/** A worker process of the benchmark. It carries out the commands on its standard input, and exits when the input ends. */
@Command(name = "bench-worker", hidden = true, description = "Used by bench.")
final class BenchWorkerCommand extends CliCommand {
    @Override
    public Integer call() throws InterruptedException {
        try (Session session = Session.open(root())) {
            new WorkerLoop(
                            name -> session.queue(session.url().sibling(name), false),
                            root().shell().out(),
                            () -> Runtime.getRuntime().halt(ExitCode.INTERRUPTED.number()))
                    .run(root().shell().in());
            return ExitCode.DONE.number();
        }
    }
}
