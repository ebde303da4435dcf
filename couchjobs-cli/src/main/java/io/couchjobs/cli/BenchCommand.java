package io.couchjobs.cli;

import io.couchjobs.cli.bench.Bench;
import io.couchjobs.cli.bench.Figure;
import io.couchjobs.cli.bench.Place;
import io.couchjobs.cli.bench.Plan;
import io.couchjobs.cli.bench.Results;
import io.couchjobs.cli.output.ProgressLine;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.job.AttachedData;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench}: measures the speed of the queue on this server, and compares it with the speed of the server itself. */
@Command(
        name = "bench",
        description = {
            "Measure this installation: raw writes of the server and the queue in turn, several rounds, medians. It",
            "works in databases of its own (couchjobs-bench-...), which it deletes at the end, also on Ctrl-C.",
            "The default takes some minutes. Exit code 1 when a figure could not be measured."
        },
        footer = {
            "  couchjobs bench --url http://127.0.0.1:5984 --user admin",
            "  couchjobs bench --only drain,drain_processes --rounds 5",
            "  couchjobs bench --only backlog,memory --backlog 1000000",
            "  couchjobs bench --only processes,fleet --rounds 1",
            "  couchjobs bench -o json"
        })
final class BenchCommand extends CliCommand {
    @Option(
            names = "--only",
            split = ",",
            paramLabel = "FIGURE",
            description = "Which figures: ${COMPLETION-CANDIDATES}; default all but processes and fleet.")
    private List<Figure> only =
            Arrays.stream(Figure.values()).filter(Figure::isUsual).toList();

    @Option(names = "--rounds", paramLabel = "N", description = "How often each is measured; default 3.")
    private int rounds = 3;

    @Option(names = "--jobs", paramLabel = "N", description = "How many jobs for a rate; default 10000.")
    private int jobs = 10_000;

    @Option(names = "--size", paramLabel = "BYTES", description = "How large a job's document is; default 1024.")
    private int size = 1_024;

    @Option(
            names = "--inline-data",
            paramLabel = "BYTES",
            description = "Larger data is attached to its document; default ${DEFAULT-VALUE}, as anywhere.")
    private int inlineData = AttachedData.DEFAULT_LIMIT;

    @Option(
            names = "--backlog",
            paramLabel = "N",
            description = "How many other jobs are in the database, half of them due; default 100000.")
    private int backlog = 100_000;

    @Option(names = "--processes", paramLabel = "N", description = "How many worker processes compete; default 4.")
    private int processes = 4;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            description = "How many jobs a worker runs at once; default 200.")
    private int concurrency = 200;

    @Option(
            names = "--samples",
            paramLabel = "N",
            description = "How many jobs are added one by one, for wakeup (each round) and herd; default 50.")
    private int samples = 50;

    @Option(names = "--herd", paramLabel = "N", description = "How many idle workers wait for one job; default 32.")
    private int herd = 32;

    @Option(
            names = "--listeners",
            paramLabel = "N",
            description = "How many clients listen at most, for fleet; default 100.")
    private int listeners = 100;

    @Option(names = "--idle", paramLabel = "DURATION", description = "How long an idle worker is watched; default 60s.")
    private Duration idle = Duration.ofSeconds(60);

    @Override
    public Integer call() throws InterruptedException {
        root().checkOutput(false);
        Plan plan = new Plan(
                EnumSet.copyOf(only),
                rounds,
                jobs,
                size,
                backlog,
                processes,
                concurrency,
                samples,
                herd,
                listeners,
                idle);
        try (Session session = Session.open(root())) {
            return run(session, plan).number();
        }
    }

    private ExitCode run(Session session, Plan plan) throws InterruptedException {
        ProgressLine progress = root().progress();
        Bench bench = new Bench(place(session, progress), plan);
        CleanUp deletion = CleanUp.atEnd("delete-bench-databases", bench::close);
        try {
            Results results = bench.run();
            progress.clear();
            output().table(results::table, results::json);
            return results.isComplete() ? ExitCode.DONE : ExitCode.FAILED;
        } finally {
            progress.clear();
            deletion.run();
        }
    }

    private Place place(Session session, ProgressLine progress) {
        ChildArguments child = ChildArguments.of("bench-worker", root(), session, session.url());
        return new Place(
                session.url().servers().get(0),
                () -> CouchServer.connect(session.server()),
                name -> session.builder(session.url().sibling(name), false)
                        .largestInlineData(inlineData)
                        .open(),
                child.arguments(),
                child.environment(),
                launcher(),
                text -> {
                    progress.clear();
                    root().say("couchjobs: " + text);
                },
                progress::update);
    }

    private Optional<Path> launcher() {
        Path home = root().shell().home();
        return Optional.of(home.resolve("couchjobs"))
                .filter(Files::isExecutable)
                .filter(there -> Files.exists(home.resolve("target/couchjobs.jar")));
    }
}
