package io.couchjobs.cli.bench;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchServer;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Where to measure.
 *
 * @param url the server, without credentials
 * @param server a factory of clients of the server
 * @param queue opens the queue in a database of that name, which exists
 * @param worker the arguments of the command line that make a process of this program a worker process
 * @param environment what is added to its environment
 * @param launcher the program that a person starts, if it is installed
 * @param say says something to the person who waits
 * @param progress shows how far it is
 */
public record Place(
        URI url,
        Supplier<CouchServer> server,
        Function<String, JobQueue> queue,
        List<String> worker,
        Map<String, String> environment,
        Optional<Path> launcher,
        Consumer<String> say,
        Consumer<String> progress) {
    /** Whether the server shares this machine with its clients, as far as its address tells. */
    boolean isHere() {
        String host = url.getHost();
        return host != null && (host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]"));
    }
}
