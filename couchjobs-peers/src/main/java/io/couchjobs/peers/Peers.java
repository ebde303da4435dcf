package io.couchjobs.peers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the candidates in turn, each round in new processes, and prints a table. */
@Command(
        name = "bench-peers",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures couchjobs beside db-scheduler and JobRunr on this machine, in turn, and prints a table of medians.",
            "Both servers must run here, and nothing else should. It makes databases of its own and deletes them."
        })
final class Peers implements Callable<Integer> {
    private static final List<String> COLUMNS = List.of(
            "drain_per_s",
            "end_to_end_per_s",
            "client_cpu_ms",
            "server_cpu_ms",
            "rss_mb",
            "add_bulk_per_s",
            "add_threads_per_s");

    @Option(names = "--url", required = true, paramLabel = "URL", description = "CouchDB, with user and password.")
    private URI couch = URI.create("http://127.0.0.1:5984");

    @Option(names = "--jdbc", required = true, paramLabel = "URL", description = "PostgreSQL; its schema is deleted.")
    private String jdbc = "";

    @Option(names = "--jdbc-port", required = true, paramLabel = "PORT", description = "The port of PostgreSQL.")
    private int jdbcPort;

    @Option(names = "--rounds", paramLabel = "N", description = "How often each is measured; default 3.")
    private int rounds = 3;

    @Option(names = "--jobs", paramLabel = "N", description = "How many jobs are drained; default 10000.")
    private int jobs = 10_000;

    @Option(names = "--places", paramLabel = "N", description = "How many jobs run at once; default 200.")
    private int places = 200;

    @Option(names = "--bytes", paramLabel = "N", description = "How much each job carries; default 500.")
    private int bytes = 500;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "NAME",
            description = "Some of them: ${COMPLETION-CANDIDATES}; default all.")
    private List<Candidate> only = List.of(Candidate.values());

    /** Exits with 1 when a candidate could not be measured. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Peers())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Map<Candidate, List<JsonNode>> measured = new EnumMap<>(Candidate.class);
        for (int round = 1; round <= rounds; round++) {
            for (Candidate candidate : only) {
                System.err.println("round " + round + " of " + rounds + ": " + candidate.title());
                measured.computeIfAbsent(candidate, any -> new ArrayList<>()).add(measure(candidate));
            }
        }
        System.out.println("| " + jobs + " jobs, " + places + " at once, " + rounds
                + " rounds | drain, jobs/s | added in bulk and drained, jobs/s | client CPU, ms/job | server CPU, ms/job | RSS, MB | add in bulk, jobs/s"
                + " | add by 16 threads, jobs/s |");
        System.out.println("|---|---|---|---|---|---|---|---|");
        measured.forEach((candidate, all) -> System.out.println(row(candidate, all)));
        return 0;
    }

    private JsonNode measure(Candidate candidate) throws IOException, InterruptedException {
        String url = candidate.isOnCouch() ? couch.toString() : jdbc;
        int port = candidate.isOnCouch() ? couch.getPort() : jdbcPort;
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-D" + Payload.LENGTH + "=" + bytes,
                        "-cp",
                        System.getProperty("java.class.path"),
                        PeerProcess.class.getName(),
                        candidate.name(),
                        url,
                        Integer.toString(port),
                        Integer.toString(jobs),
                        Integer.toString(places))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(candidate.title() + " could not be measured; see above");
        }
        return new JsonMapper().readTree(said.lines().reduce("", (before, last) -> last));
    }

    /** Returns a row of the table. Each column has the median, the least and the greatest value of the rounds. */
    private static String row(Candidate candidate, List<JsonNode> all) {
        StringBuilder row = new StringBuilder("| " + candidate.title() + " |");
        for (String column : COLUMNS) {
            List<Double> values = all.stream()
                    .filter(each -> each.has(column))
                    .map(each -> each.path(column).asDouble())
                    .sorted()
                    .toList();
            row.append(' ').append(values.isEmpty() ? "unknown" : text(values)).append(" |");
        }
        return row.toString();
    }

    private static String text(List<Double> sorted) {
        return number(sorted.get(sorted.size() / 2)) + " (" + number(sorted.get(0)) + " to "
                + number(sorted.get(sorted.size() - 1)) + ")";
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%,.0f", value);
    }
}
