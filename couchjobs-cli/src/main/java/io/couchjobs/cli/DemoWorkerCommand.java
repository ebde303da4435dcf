package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.demo.HashFile;
import io.couchjobs.worker.Worker;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Timer;
import java.util.TimerTask;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * A worker process of the demonstration. It reports that it is ready, waits for the start, and then reports its progress every
 * 100 ms.
 */
@Command(name = "demo-worker", hidden = true, description = "Used by demo.")
final class DemoWorkerCommand extends QueueCommand {
    private static final int CONCURRENCY = 4;

    @Option(names = "--id", required = true, description = "The worker's name.")
    private String workerId = "";

    @Override
    ExitCode run(JobQueue queue) throws Exception {
        InputStream parent = root().shell().in();
        root().shell().out().println("{}");
        root().shell().out().flush();
        if (parent.read() < 0) {
            return ExitCode.INTERRUPTED;
        }
        Timer reporting = new Timer("reporting", true);
        try (Worker worker = queue.worker()
                .id(workerId)
                .concurrency(CONCURRENCY)
                .handler("sha256", new HashFile())
                .untilEmpty()
                .start()) {
            reporting.schedule(
                    new TimerTask() {
                        @Override
                        public void run() {
                            report(worker);
                        }
                    },
                    100,
                    100);
            closeWithParent(worker, parent);
            worker.awaitStopped();
            report(worker);
        } finally {
            reporting.cancel();
        }
        return ExitCode.DONE;
    }

    private static void closeWithParent(Worker worker, InputStream parent) {
        Thread watching = new Thread(() -> {
            try {
                while (parent.read() >= 0) {}
            } catch (IOException gone) {
                // the parent is gone, which this thread waits for
            }
            worker.close(Duration.ZERO);
        });
        watching.setDaemon(true);
        watching.start();
    }

    private synchronized void report(Worker worker) {
        root().shell().out().println(WorkCommand.json(worker));
        root().shell().out().flush();
    }
}
