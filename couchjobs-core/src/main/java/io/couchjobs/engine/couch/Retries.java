package io.couchjobs.engine.couch;

import com.fasterxml.jackson.core.io.JsonEOFException;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.time.Environment;
import java.net.SocketException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.MalformedChunkCodingException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retries failed reads and idempotent changes if a retry may succeed. Other writes are never retried, because they may have
 * been carried out. Requests that timed out are not retried either, because more work does not help a slow server.
 */
final class Retries {

    private static final Logger LOG = LoggerFactory.getLogger(Retries.class);
    private static final int ATTEMPTS = 4;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final Environment environment;

    Retries(Environment environment) {
        this.environment = environment;
    }

    <T> T run(Call call, Supplier<T> attempt) {
        for (int failed = 1; ; failed++) {
            try {
                return attempt.get();
            } catch (CouchException e) {
                Optional<Duration> wait = call.repeatable() ? waitAfter(e, failed) : Optional.empty();
                if (wait.isEmpty() || !Environment.pauseUnlessInterrupted(environment, wait.get())) {
                    throw e;
                }
                LOG.debug(
                        "{}; tried again after {} ms",
                        e.getMessage(),
                        wait.get().toMillis());
            }
        }
    }

    private Optional<Duration> waitAfter(CouchException e, int failed) {
        if (failed >= ATTEMPTS || !isHopeful(e)) {
            return Optional.empty();
        }
        Duration backoff = FIRST_PAUSE.multipliedBy(1L << (failed - 1));
        Duration jittered =
                backoff.multipliedBy(environment.random().nextLong(50, 101)).dividedBy(100);
        return Optional.of(e.retryAfter().orElse(jittered)).filter(wait -> wait.compareTo(LONGEST_PAUSE) <= 0);
    }

    private static boolean isHopeful(CouchException e) {
        if (e instanceof CouchUnreachableException) {
            Throwable cause = e.getCause();
            return cause instanceof NoHttpResponseException
                    || cause instanceof ConnectionClosedException
                    || cause instanceof MalformedChunkCodingException
                    || cause instanceof JsonEOFException
                    || cause instanceof SocketException;
        }
        return e.status() == 503 || hasLostItsJavaScript(e) || hasNoShardsYet(e);
    }

    /** Returns whether a node of a cluster may not have the shards of a new database yet. The answer to a HEAD has no reason. */
    private static boolean hasNoShardsYet(CouchException e) {
        return e.status() == 500 && (e.method().equals("HEAD") || e.reason().equals("No DB shards could be opened."));
    }

    /** Returns whether the process that runs the code of views has ended. The next process continues to build the index. */
    private static boolean hasLostItsJavaScript(CouchException e) {
        boolean hasEnded = e.error().equals("os_process_error") && e.reason().contains("exit_status");
        return e.status() == 500 && (hasEnded || e.error().equals("epipe"));
    }
}
