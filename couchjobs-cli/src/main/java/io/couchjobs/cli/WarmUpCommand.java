package io.couchjobs.cli;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;

/** Runs the most common commands once, so that the launcher can archive the classes that they need. */
@Command(name = "warm-up", hidden = true, description = "Used by the launcher.")
final class WarmUpCommand extends CliCommand {
    @Override
    public Integer call() {
        try (LocalServer server = LocalServer.inMemory(0)) {
            String url = server.database().database().toString();
            run("help", "enqueue");
            run("init", "--url", url);
            run("enqueue", "warm", "up", "--data", "{\"a\":1}", "--url", url);
            run("work", "warm", "--until-empty", "--url", url, "--", "true");
            run("inspect", "warm", "up", "--url", url);
            run("list", "-o", "json", "--url", url);
            run("counts", "--url", url);
            run("remove", "warm", "up", "--url", url);
            run("inspect", "warm", "up", "--url", url);
        }
        return ExitCode.DONE.number();
    }

    private void run(String... args) {
        Shell here = root().shell();
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        Shell silent = new Shell(
                InputStream.nullInputStream(),
                nowhere,
                nowhere,
                Map.of("PATH", here.variable("PATH").orElse("")),
                here.home(),
                Shell.Terminals.NONE,
                question -> Optional.empty());
        Cli.run(silent, args);
    }
}
