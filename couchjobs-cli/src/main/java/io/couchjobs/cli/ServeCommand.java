package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.JobQueue;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code serve}: the embedded CouchDB-compatible server, until Ctrl-C. */
@Command(
        name = "serve",
        description = {
            "Run the embedded CouchDB-compatible server with an empty queue, until Ctrl-C.",
            "For development and tests only: it listens on this machine only and asks nobody for a password."
        },
        footer = {
            "",
            "Examples:",
            "  couchjobs serve                  in memory, at the default --url of all commands",
            "  couchjobs serve --dir ./data --port 0"
        })
final class ServeCommand implements Callable<Integer> {
    @Option(names = "--dir", paramLabel = "D", description = "Keep the data in this folder; default in memory.")
    private @Nullable Path dir;

    @Option(names = "--port", paramLabel = "P", description = "Default 5984; 0 for a free one.")
    private int port = 5984;

    @ParentCommand
    @SuppressWarnings("NullAway.Init")
    private Couchjobs root;

    @Override
    public Integer call() throws InterruptedException {
        if (port < 0 || port > 65_535) {
            throw CommandException.usage("--port must be 0 to 65535: " + port);
        }
        CountDownLatch stop = new CountDownLatch(1);
        Interrupts.onSignal(signal -> stop.countDown());
        try (LocalServer server = LocalServer.withDatabase(dir, port)) {
            URI url = server.database().database();
            JobQueue.builder(url).open().close();
            root.output().line(url::toString, () -> JsonNodeFactory.instance
                    .objectNode()
                    .put("url", url.toString()));
            root.say("couchjobs: for development and tests only, data is kept "
                    + (dir == null ? "in memory" : "in " + dir) + "; Ctrl-C to stop");
            stop.await();
        }
        root.say("couchjobs: stopped");
        return ExitCode.DONE.number();
    }
}
