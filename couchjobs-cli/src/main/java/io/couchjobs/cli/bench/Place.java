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
 * The place of a measurement.
 *
 * @param url the server, without credentials
 * @param server a factory of clients of the server
 * @param queue opens a queue in the existing database of a given name
 * @param worker the arguments with which this program runs as a worker process
 * @param environment the variables to add to the environment of a worker process
 * @param launcher the program that a person starts, if it is installed
 * @param say shows a message to the person who waits
 * @param progress shows the progress
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
    /** Returns whether the server runs on this machine, as far as its address tells. */
    boolean isHere() {
        String host = url.getHost();
        return host != null && (host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]"));
    }
}
