package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.demo.Demo;
import io.couchjobs.cli.demo.FoundFiles;
import io.couchjobs.cli.demo.Summary;
import io.couchjobs.cli.logging.LogLevels;
import io.couchjobs.cli.output.Format;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.Auth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code demo [DIR]}: runs a job for each file of a folder, with nothing installed but Java. */
@Command(
        name = "demo",
        description = {
            "Compute the SHA-256 of every file below a folder: one job per file, run by competing worker processes,",
            "every result checked. It uses an embedded server in memory, whatever COUCHJOBS_URL says; with --url, or",
            "--profile, a database of its own on that server.",
            "Exit code 1 when a job failed or a result is wrong. With --dashboard also some daily work of a shop, of",
            "which a part fails, and a web page that shows all of it until Ctrl-C."
        },
        footer = {
            "  couchjobs demo                   the files of this project",
            "  couchjobs demo /usr/share/doc --workers 4",
            "  couchjobs demo --dashboard       and look at it in a browser",
            "  couchjobs demo --url http://127.0.0.1:5984 --user admin -o json"
        })
final class DemoCommand extends CliCommand {
    @Parameters(arity = "0..1", paramLabel = "DIR", description = "The folder; default this project.")
    private @Nullable Path dir;

    @Option(names = "--workers", paramLabel = "N", description = "How many worker processes; default 2.")
    private int workers = 2;

    @Option(names = "--keep", description = "Keep the database.")
    private boolean keep;

    @Option(names = "--dashboard", description = "Show it on a web page, and go on until Ctrl-C.")
    private boolean dashboard;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "Where the page is; default 127.0.0.1:8080, or a free port if that is taken.")
    private @Nullable String listen;

    @Override
    public Integer call() throws IOException, InterruptedException {
        root().checkOutput(false);
        FoundFiles found = find();
        if (root().settings().isServerAsked()) {
            return run(found, Session.open(root()));
        } else if (root().shell().variable("COUCHJOBS_URL").isPresent()) {
            root().say("couchjobs: the demo uses a server of its own, not COUCHJOBS_URL; --url runs it on another");
        }
        LocalServer server = LocalServer.inMemory(0);
        return run(found, new Session(server.database(), new Auth.None(), root().settings(), server));
    }

    private FoundFiles find() throws IOException {
        Path folder = dir == null ? root().shell().home() : dir;
        if (!Files.isDirectory(folder)) {
            throw CommandException.usage("not a folder: " + folder);
        } else if (workers < 1) {
            throw CommandException.usage("--workers must be at least 1: " + workers);
        } else if (listen != null && !dashboard) {
            throw CommandException.usage("--listen needs --dashboard");
        }
        FoundFiles found = FoundFiles.below(folder);
        found.problems().forEach(problem -> root().say("couchjobs: " + problem));
        if (found.files().isEmpty()) {
            throw new CommandException(ExitCode.FAILED, "nothing to do: no files below " + folder);
        }
        return found;
    }

    private int run(FoundFiles found, Session session) throws IOException, InterruptedException {
        QueueUrl database = session.url()
                .sibling("couchjobs-demo-" + UUID.randomUUID().toString().substring(0, 8));
        try (session) {
            CleanUp deletion = CleanUp.atEnd("delete-demo-database", () -> delete(session, database));
            root().say("couchjobs: " + found.files().size() + " files below " + found.root() + ", " + workers
                    + " worker processes, database " + database.database());
            try (JobQueue queue = session.queue(database, true)) {
                Demo demo = new Demo(queue, root().progress(), text -> root().say("couchjobs: " + text));
                Demo.Workers processes = workers(session, database);
                if (!dashboard) {
                    return run(demo, found, processes).number();
                }
                // The page shows the logs of the shop's jobs; on standard error, they would bury the other messages.
                LogLevels.configure(root().options().verbose, !root().options().verbose);
                try (DemoPage page = DemoPage.open(queue, listen)) {
                    root().say("couchjobs: the dashboard is at " + page.url());
                    ExitCode exitCode = run(demo, found, processes);
                    root().say("couchjobs: the dashboard stays at " + page.url() + "; Ctrl-C to stop");
                    page.awaitInterrupt();
                    return exitCode.number();
                }
            } finally {
                deletion.run();
            }
        }
    }

    private ExitCode run(Demo demo, FoundFiles found, Demo.Workers processes) throws IOException, InterruptedException {
        Summary summary = demo.run(found, processes);
        show(summary, found.problems());
        return summary.isPerfect() && found.problems().isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
    }

    private void delete(Session session, QueueUrl database) {
        if (keep) {
            root().say("couchjobs: kept " + database.database());
            return;
        }
        try (CouchServer server = CouchServer.connect(session.server())) {
            server.database(database.name()).delete();
        } catch (RuntimeException gone) {
            root().say("couchjobs: cannot delete the database " + database.name() + ": " + Problems.explain(gone));
        }
    }

    private Demo.Workers workers(Session session, QueueUrl database) {
        ChildArguments child = ChildArguments.of("demo-worker", root(), session, database);
        return new Demo.Workers(workers, child.arguments(), child.environment());
    }

    private void show(Summary summary, List<String> unreadable) {
        summary.problems().forEach(problem -> root().shell().err().println("couchjobs: " + problem));
        output().table(summary::table, () -> json(summary, unreadable));
        if (output().format() == Format.TABLE) {
            output().raw("");
            summary.lines().forEach(output()::raw);
            if (!unreadable.isEmpty()) {
                output().raw("not read: " + String.join("; ", unreadable));
            }
        }
    }

    /** Returns the summary with the unreadable files. An unreadable file has no job, but makes the demonstration fail. */
    static ObjectNode json(Summary summary, List<String> unreadable) {
        ObjectNode json = summary.json();
        unreadable.forEach(json.putArray("unreadable")::add);
        return json;
    }
}
