package io.couchjobs.engine.claim;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Ensures that a claim has at most one write under way, even if no thread waits for the answer. Thread-safe. */
final class WriteTurns {
    private final Environment environment;
    private @Nullable CompletableFuture<?> underWay;

    WriteTurns(Environment environment) {
        this.environment = environment;
    }

    /** Runs a task while no write is under way, and while none can begin. */
    <T> T alone(Supplier<T> work) {
        while (true) {
            CompletableFuture<?> sent;
            synchronized (this) {
                sent = underWay;
                if (sent == null) {
                    return work.get();
                }
            }
            environment.join(sent);
        }
    }

    /**
     * Sends a write without waiting for its answer.
     *
     * @param taken processes the answer, in the lane; null means that there is no answer
     * @return the future result of {@code taken}; empty when nothing was sent, or while another write is under way
     */
    synchronized <T> Optional<CompletableFuture<T>> behind(
            Supplier<Optional<CompletableFuture<WriteResult>>> send,
            Function<@Nullable WriteResult, T> taken,
            Lane lane) {
        if (underWay != null) {
            return Optional.empty();
        }
        return send.get().map(answer -> {
            CompletableFuture<T> done = answer.handleAsync((written, trouble) -> end(written, taken), lane);
            underWay = done;
            return done;
        });
    }

    private synchronized <T> T end(@Nullable WriteResult written, Function<@Nullable WriteResult, T> taken) {
        underWay = null;
        return taken.apply(written);
    }
}
