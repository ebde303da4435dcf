package io.couchjobs.chaos;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An existing server. Commands in environment variables do and undo the faults of its nodes. Immutable. */
final class NamedServer implements Server {
    private static final String PREFIX = "COUCHJOBS_NODE_";
    /** The commands that do and undo a fault. */
    private static final Map<Fault, List<String>> COMMANDS = Map.of(
            Fault.KILL_SERVER, List.of("STOP", "START"),
            Fault.FREEZE_SERVER, List.of("FREEZE", "THAW"),
            Fault.CUT_SERVER, List.of("CUT", "HEAL"),
            Fault.ONE_WAY_SERVER, List.of("ONEWAY", "HEAL"),
            Fault.WIPE_SERVER, List.of("WIPE", "START"));

    private final List<URI> nodes;
    private final Path log;

    /** Creates a server with these nodes. The log receives the output of the commands. */
    NamedServer(List<URI> nodes, Path log) {
        this.log = log;
        this.nodes = nodes.stream().map(node -> node.resolve("/")).toList();
    }

    @Override
    public List<URI> nodes() {
        return nodes;
    }

    @Override
    public Set<Fault> possible() {
        Set<Fault> possible = EnumSet.noneOf(Fault.class);
        COMMANDS.forEach((fault, commands) -> {
            if (commands.stream().allMatch(command -> command(command) != null)) {
                possible.add(fault);
            }
        });
        return possible;
    }

    @Override
    public void begin(Fault fault, int node) throws IOException, InterruptedException {
        run(commands(fault).get(0), node);
    }

    @Override
    public void end(Fault fault, int node) throws IOException, InterruptedException {
        run(commands(fault).get(1), node);
    }

    @Override
    public void close() {
        // the server keeps running
    }

    private static List<String> commands(Fault fault) {
        return COMMANDS.getOrDefault(fault, List.of());
    }

    private static @Nullable String command(String name) {
        return System.getenv(PREFIX + name);
    }

    private void run(String name, int node) throws IOException, InterruptedException {
        String command = command(name) + " " + (node + 1);
        int exitCode = new ProcessBuilder("sh", "-c", command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start()
                .waitFor();
        if (exitCode != 0) {
            throw new IOException(
                    PREFIX + name + " of node " + (node + 1) + " ended with " + exitCode + ", see " + log);
        }
    }
}
