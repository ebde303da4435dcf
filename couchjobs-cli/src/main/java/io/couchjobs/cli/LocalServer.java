package io.couchjobs.cli;

import io.couchjobs.couch.config.Auth;
import io.couchjobs.embedded.EmbeddedCouch;
import java.net.BindException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The embedded CouchDB-compatible server, in this process.
 *
 * @param server the server
 */
record LocalServer(EmbeddedCouch server) implements AutoCloseable {
    static final String DATABASE = "couchjobs";

    static LocalServer inMemory(int port) {
        return start(EmbeddedCouch.inMemory().port(port), port);
    }

    static LocalServer inFolder(Path folder, int port) {
        return start(EmbeddedCouch.builder().directory(folder).port(port), port);
    }

    /** Starts a server with its usual database. Web pages of {@code origin} may use the server; null allows none. */
    static LocalServer withDatabase(@Nullable Path folder, int port, @Nullable String origin) {
        EmbeddedCouch.Builder builder = EmbeddedCouch.builder();
        if (origin != null) {
            builder.cors(origin);
        }
        return start(
                (folder == null ? builder.inMemory() : builder.directory(folder))
                        .database(DATABASE)
                        .port(port),
                port);
    }

    /** {@return the queue's usual database on this server, whether it exists or not} */
    QueueUrl database() {
        return new QueueUrl(server.url().resolve("/" + DATABASE), List.of(), null, null, new Auth.None());
    }

    URI url() {
        return server.url();
    }

    @Override
    public void close() {
        server.close();
    }

    private static LocalServer start(EmbeddedCouch.Builder builder, int port) {
        try {
            return new LocalServer(builder.start());
        } catch (RuntimeException problem) {
            throw cannotStart(problem, port);
        }
    }

    static CommandException cannotStart(RuntimeException problem, int port) {
        return new CommandException(ExitCode.FAILED, "the embedded server cannot start: " + reason(problem, port));
    }

    private static String reason(RuntimeException problem, int port) {
        Throwable cause = problem.getCause() == null ? problem : problem.getCause();
        return cause instanceof BindException
                ? "port " + port + " is taken (choose another by --port, or 0 for a free one)"
                : Problems.explain(cause);
    }
}
