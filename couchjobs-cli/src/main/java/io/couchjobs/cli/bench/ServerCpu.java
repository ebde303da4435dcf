package io.couchjobs.cli.bench;

import java.io.IOException;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The processor time of a server on this machine: of the process that listens at its port, and of the processes that it started.
 * It is known only where {@code /proc} shows the open files of that process. In a cluster, it is the time of one node. Immutable.
 */
public final class ServerCpu {
    static final ServerCpu UNKNOWN = new ServerCpu(Optional.empty());

    private static final Path PROC = Path.of("/proc");
    private static final String LISTENING = "0A";
    private static final int STATE = 3;
    private static final int INODE = 9;

    private final Optional<ProcessHandle> server;

    private ServerCpu(Optional<ProcessHandle> server) {
        this.server = server;
    }

    static ServerCpu of(Place place) {
        return place.isHere() ? listeningAt(port(place.url())) : UNKNOWN;
    }

    /**
     * Finds the server.
     *
     * @param port the port at which the server listens
     * @return the server; its processor time is empty when it is not found
     */
    public static ServerCpu listeningAt(int port) {
        Set<String> sockets = socketsAt(port);
        return new ServerCpu(ProcessHandle.allProcesses()
                .filter(process -> hasOpen(process.pid(), sockets))
                .findFirst());
    }

    /** {@return the milliseconds that the living processes have used since they were started; empty when that is unknown} */
    public OptionalDouble millis() {
        return server.map(ServerCpu::millisOf).map(OptionalDouble::of).orElseGet(OptionalDouble::empty);
    }

    /**
     * Divides the time that was used by the work that was done.
     *
     * @param before the result of {@link #millis} before the work
     * @param pieces how many pieces of work were done since then
     * @return milliseconds per piece; empty when that is unknown
     */
    public OptionalDouble since(OptionalDouble before, double pieces) {
        OptionalDouble now = millis();
        return now.isPresent() && before.isPresent()
                ? OptionalDouble.of((now.getAsDouble() - before.getAsDouble()) / pieces)
                : OptionalDouble.empty();
    }

    private static double millisOf(ProcessHandle process) {
        return Stream.concat(Stream.of(process), process.descendants())
                .flatMap(each -> each.info().totalCpuDuration().stream())
                .mapToDouble(Duration::toMillis)
                .sum();
    }

    private static int port(URI url) {
        return url.getPort() >= 0 ? url.getPort() : "https".equals(url.getScheme()) ? 443 : 80;
    }

    /** Returns the sockets that listen at a port, as the links in {@code /proc/PID/fd} name them. */
    private static Set<String> socketsAt(int port) {
        Set<String> sockets = new HashSet<>();
        String end = String.format(":%04X", port);
        for (String table : List.of("net/tcp", "net/tcp6")) {
            try (Stream<String> lines = Files.lines(PROC.resolve(table))) {
                lines.map(line -> line.trim().split(" +"))
                        .filter(fields ->
                                fields.length > INODE && fields[STATE].equals(LISTENING) && fields[1].endsWith(end))
                        .forEach(fields -> sockets.add("socket:[" + fields[INODE] + "]"));
            } catch (IOException hidden) {
                // another system, or no such protocol
            }
        }
        return sockets;
    }

    private static boolean hasOpen(long pid, Set<String> sockets) {
        if (sockets.isEmpty()) {
            return false;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(PROC.resolve(pid + "/fd"))) {
            for (Path file : files) {
                if (isOneOf(sockets, file)) {
                    return true;
                }
            }
        } catch (IOException othersOrEnded) {
            // the files of this process cannot be seen
        }
        return false;
    }

    private static boolean isOneOf(Set<String> sockets, Path file) {
        try {
            return sockets.contains(Files.readSymbolicLink(file).toString());
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }
}
