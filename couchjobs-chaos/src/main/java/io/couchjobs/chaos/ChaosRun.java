package io.couchjobs.chaos;

import io.couchjobs.job.JobStatus;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A run of one seed: causes faults for a while, waits until all jobs have ended, and checks the promises. Not thread-safe. */
final class ChaosRun {
    private static final long REPORT_MILLIS = 10_000;
    private static final long MOST_SECONDS_TO_BEGIN = 120;
    private static final int MOST_LOOKS = 3;

    private final Options options;
    private final Path folder;
    private final long began = System.nanoTime();

    /** The begin or end of a fault, and its time in milliseconds since the start. */
    private record Deed(long millis, boolean isBegin, Plan.Step step) {}

    ChaosRun(Options options) throws IOException {
        this.options = options;
        Files.createDirectories(options.folder);
        this.folder = Files.createTempDirectory(options.folder.toAbsolutePath(), "seed" + options.seed + "-");
    }

    Verdict run() throws IOException, InterruptedException {
        try (Server server = server()) {
            String database = "chaos-" + folder.getFileName().toString().toLowerCase(Locale.ROOT);
            List<URI> databases =
                    server.nodes().stream().map(node -> node.resolve(database)).toList();
            try (Observer observer = new Observer(databases);
                    Accounts accounts = options.isSecured ? observer.secure() : Accounts.none();
                    Fleet fleet = new Fleet(options, databases, accounts, folder)) {
                Verdict verdict = run(server, observer, fleet);
                if (verdict.violations().isEmpty()) {
                    observer.deleteDatabase();
                }
                return verdict;
            }
        }
    }

    private Server server() throws IOException {
        return options.nodes.isEmpty()
                ? new EmbeddedServer(folder, options.isSecured ? "root:" + UUID.randomUUID() : "")
                : new NamedServer(options.nodes, folder.resolve("server.log"));
    }

    private Verdict run(Server server, Observer observer, Fleet fleet) throws IOException, InterruptedException {
        Set<Fault> possible = EnumSet.allOf(Fault.class);
        possible.removeIf(fault ->
                fault.target() == Fault.Target.SERVER && !server.possible().contains(fault));
        Plan plan = Plan.of(options.seed, options, server.nodes().size(), possible);
        write("plan", plan.steps());
        say("seed " + options.seed + ": " + plan.steps().size() + " faults in " + options.seconds + " s, evidence in "
                + folder);
        fleet.awaitReady();
        awaitFirstRun();
        say("all processes are ready, and jobs run");
        List<String> notDone = perform(plan, server, observer, fleet);
        say("no more faults; waiting until all is quiet");
        fleet.heal();
        if (possible.contains(Fault.WIPE_SERVER)) {
            observer.synchronizeCopies(server.nodes().get(0));
        }
        observer.awaitQuiet();
        say("quiet: " + totals(observer));
        fleet.endWorkers();
        Ending ending = ending(observer, fleet);
        fleet.endReaders();
        List<Entry> entries = Journal.readAll(folder);
        requireOneClock(entries);
        Verdict verdict = Verdict.of(new History(entries), ending, plan, fleet.hits())
                .and(notDone)
                .and(fleet.violations());
        write("documents", ending.documents());
        write("violations", verdict.violations());
        return verdict;
    }

    /** Waits for the first run. On a busy machine, a short plan could otherwise end before the first job runs. */
    private void awaitFirstRun() throws IOException, InterruptedException {
        long began = System.nanoTime();
        while (Journal.readAll(folder).stream().noneMatch(entry -> entry.what() == Entry.What.BEGIN)
                && System.nanoTime() - began < TimeUnit.SECONDS.toNanos(MOST_SECONDS_TO_BEGIN)) {
            Surroundings.pass(200);
        }
    }

    /**
     * Returns the contents of the database after all processes have ended. A cluster's copy that is behind may show resolved
     * conflicts or bring new ones. Workers are then started again to resolve them.
     */
    private static Ending ending(Observer observer, Fleet fleet) throws IOException, InterruptedException {
        Ending ending = observer.ending();
        for (int more = 0; more < MOST_LOOKS && ending.hasConflicts(); more++) {
            fleet.startWorkers();
            observer.awaitQuiet();
            fleet.endWorkers();
            ending = observer.ending();
        }
        return ending;
    }

    /** Performs the plan. Returns the faults that did not happen. */
    private List<String> perform(Plan plan, Server server, Observer observer, Fleet fleet)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        ExecutorService reports = Executors.newSingleThreadExecutor();
        reports.execute(() -> report(observer));
        ServerDeeds serverDeeds = new ServerDeeds(server);
        try (serverDeeds) {
            for (Deed deed : deeds(plan)) {
                long left = start + TimeUnit.MILLISECONDS.toNanos(deed.millis()) - System.nanoTime();
                Surroundings.pass(Math.max(0, TimeUnit.NANOSECONDS.toMillis(left)));
                perform(deed, serverDeeds, fleet);
            }
        } finally {
            reports.shutdownNow();
        }
        return serverDeeds.failures();
    }

    /** Reports the totals regularly. Runs in its own thread, because an answer takes long while the server is down. */
    private void report(Observer observer) {
        try {
            while (true) {
                Surroundings.pass(REPORT_MILLIS);
                say(totals(observer));
            }
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<Deed> deeds(Plan plan) {
        List<Deed> deeds = new ArrayList<>();
        for (Plan.Step step : plan.steps()) {
            deeds.add(new Deed(step.from(), true, step));
            deeds.add(new Deed(step.until(), false, step));
        }
        deeds.sort((one, other) -> Long.compare(one.millis(), other.millis()));
        return deeds;
    }

    private static void perform(Deed deed, ServerDeeds server, Fleet fleet) throws IOException {
        if (deed.step().fault().target() == Fault.Target.SERVER) {
            server.perform(deed.isBegin(), deed.step());
        } else if (deed.isBegin()) {
            fleet.begin(deed.step());
        } else {
            fleet.end(deed.step());
        }
    }

    /** Fails unless all processes share the machine's monotonic clock, by which their journals are compared. */
    private void requireOneClock(List<Entry> entries) {
        long now = System.nanoTime();
        for (Entry entry : entries) {
            if (entry.nanos() < began || entry.nanos() > now) {
                throw new IllegalStateException("processes of this machine do not share a monotonic clock: " + entry);
            }
        }
    }

    private static String totals(Observer observer) {
        try {
            Map<JobStatus, Long> totals = new TreeMap<>();
            observer.counts()
                    .values()
                    .forEach(counts -> counts.forEach((status, number) -> totals.merge(status, number, Long::sum)));
            return totals.toString();
        } catch (RuntimeException away) {
            return "the server is away";
        }
    }

    private void say(String text) {
        System.out.printf("%6.1f s  %s%n", (System.nanoTime() - began) / 1e9, text);
    }

    private void write(String name, List<? extends @Nullable Object> lines) throws IOException {
        Files.write(folder.resolve(name), lines.stream().map(String::valueOf).toList(), StandardCharsets.UTF_8);
    }
}
