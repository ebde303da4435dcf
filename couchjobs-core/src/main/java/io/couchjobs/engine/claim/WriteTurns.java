package io.couchjobs.engine.claim;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One write of a claim at a time, also when nobody waits for its answer. Thread-safe. */
final class WriteTurns {
    private final Environment environment;
    private @Nullable CompletableFuture<?> underWay;

    WriteTurns(Environment environment) {
        this.environment = environment;
    }

    /** Does something while no write is under way, and while none can begin. */
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
     * Sends a write, and does not wait for its answer.
     *
     * @param taken takes in the answer, in the lane; it gets null when there is none
     * @return what was taken in; empty when nothing was sent, or while another write is under way
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
