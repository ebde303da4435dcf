package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.output.Format;
import io.couchjobs.cli.top.Screen;
import io.couchjobs.cli.top.Top;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code top}: shows live at a terminal what the queue does. */
@Command(
        name = "top",
        description = {
            "Show live how many runs end per second, jobs by type and status, since when the oldest has been due,",
            "workers and failures. The key ? shows the keys: tab switches between types and failures, the arrows choose,",
            "Enter shows the chosen job, f shows one type only, p pauses or resumes the chosen type, r retries the chosen",
            "job, q quits. Without a terminal, or with -o json, it is shown once."
        },
        footer = {"  couchjobs top", "  ssh -t worker1 couchjobs top", "  couchjobs top --once"})
final class TopCommand extends QueueCommand {
    private static final Duration LEAST = Duration.ofMillis(200);

    @Option(names = "--once", description = "Print it once, as plain text.")
    private boolean once;

    @Option(names = "--interval", paramLabel = "D", description = "How long to rest between two looks; default 1s.")
    private Duration interval = Duration.ofSeconds(1);

    @Override
    void check() {
        if (interval.compareTo(LEAST) < 0) {
            throw CommandException.usage("--interval must be at least 200ms");
        } else if (root().settings().output() == Format.CSV) {
            throw CommandException.usage(
                    "top shows several tables, which -o csv cannot hold; for the types use couchjobs counts -o csv");
        }
    }

    @Override
    ExitCode run(JobQueue queue) {
        Format format = root().settings().output();
        if (format != Format.TABLE) {
            output().line(() -> "", () -> Top.json(queue));
            return ExitCode.DONE;
        }
        Shell.Terminals terminals = root().shell().terminals();
        boolean live = !once && terminals.in() && terminals.out();
        if (!live || !Screen.show(queue, interval, root().settings().colour(), TopCommand::onSignal)) {
            Top.print(queue, root().shell().out());
        }
        return ExitCode.DONE;
    }

    /** Restores the terminal on every signal. */
    private static void onSignal(Runnable stop) {
        Interrupts.onSignal(signal -> stop.run());
    }
}
