package io.couchjobs.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.SimulatedCluster;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code serve}: runs the embedded CouchDB-compatible server until Ctrl-C. */
@Command(
        name = "serve",
        description = {
            "Run the embedded CouchDB-compatible server with an empty queue, until Ctrl-C.",
            "For development and tests only: it listens on this machine only and asks nobody for a password."
        },
        footer = {
            "  couchjobs serve                  in memory, at the default --url of all commands",
            "  couchjobs serve --dir ./data --port 0",
            "  couchjobs serve --cors http://localhost:3000",
            "  couchjobs serve --simulate-cluster 3"
        })
final class ServeCommand extends CliCommand {
    @Option(names = "--dir", paramLabel = "D", description = "Keep the data in this folder; default in memory.")
    private @Nullable Path dir;

    @Option(names = "--port", paramLabel = "P", description = "Default 5984; 0 for a free one.")
    private int port = 5984;

    @Option(
            names = "--cors",
            paramLabel = "ORIGIN",
            description = {
                "Let web pages of this origin use the server, as http://localhost:3000: so PouchDB in a "
                        + "page can sync with it. Any page of the origin may then do everything."
            })
    private @Nullable String origin;

    @Option(
            names = "--simulate-cluster",
            paramLabel = "N",
            description = {
                "Be a cluster of N nodes, in memory, at --port and the ports after it: racing "
                        + "writers get 201, 202 and 409 as on a real one, and leave conflicts."
            })
    private int nodes;

    @Override
    public Integer call() throws InterruptedException {
        root().checkOutput(false);
        if (port < 0 || port > 65_535) {
            throw CommandException.usage("--port must be 0 to 65535: " + port);
        }
        if (nodes < 0 || (nodes > 0 && dir != null)) {
            throw CommandException.usage("--simulate-cluster needs a number of nodes, and goes without --dir");
        }
        if (origin != null && (nodes > 0 || !origin.matches("https?://[^/*]+"))) {
            throw CommandException.usage("--cors needs scheme, host and port without a path, as"
                    + " http://localhost:3000, and goes without --simulate-cluster: " + origin);
        }
        CountDownLatch stop = new CountDownLatch(1);
        Interrupts.onSignal(signal -> stop.countDown());
        if (nodes > 0) {
            serveCluster(stop);
        } else {
            serve(stop);
        }
        root().say("couchjobs: stopped");
        return ExitCode.DONE.number();
    }

    private void serve(CountDownLatch stop) throws InterruptedException {
        try (LocalServer server = LocalServer.withDatabase(dir, port, origin)) {
            URI url = server.database().database();
            JobQueue.builder(url).open().close();
            output().line(url::toString, () -> json(url));
            root().say("couchjobs: for development and tests only, data is kept "
                    + (dir == null ? "in memory" : "in " + dir) + "; Ctrl-C to stop");
            stop.await();
        }
    }

    private void serveCluster(CountDownLatch stop) throws InterruptedException {
        long seed = System.nanoTime();
        try (SimulatedCluster cluster = start(seed)) {
            List<URI> urls = cluster.urls().stream()
                    .map(node -> node.resolve("/" + LocalServer.DATABASE))
                    .toList();
            JobQueue.builder(urls.get(0)).open().close();
            output().lines(urls, URI::toString, ServeCommand::json);
            root().say("couchjobs: a simulated cluster, for development and tests only, in memory, seed " + seed
                    + "; Ctrl-C to stop");
            stop.await();
        }
    }

    private SimulatedCluster start(long seed) {
        try {
            return SimulatedCluster.start(nodes, port, seed);
        } catch (UncheckedIOException problem) {
            throw LocalServer.cannotStart(problem, port);
        }
    }

    private static JsonNode json(URI url) {
        return JsonNodeFactory.instance.objectNode().put("url", url.toString());
    }
}
