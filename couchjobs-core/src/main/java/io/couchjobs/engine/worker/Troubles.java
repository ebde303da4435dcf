package io.couchjobs.engine.worker;

import io.couchjobs.couch.config.CouchUnreachableException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The failures of one look at all owned jobs. After the server was found unreachable, nothing more is tried. Not thread-safe. */
final class Troubles {
    private @Nullable Throwable last;
    private boolean isAway;

    @Nullable
    Throwable last() {
        return last;
    }

    boolean isAway() {
        return isAway;
    }

    void note(Runnable attempt) {
        Duration unused = orElse(Duration.ZERO, () -> {
            attempt.run();
            return Duration.ZERO;
        });
    }

    Duration orElse(Duration otherwise, Supplier<Duration> attempt) {
        try {
            return isAway ? otherwise : attempt.get();
        } catch (CouchUnreachableException away) {
            last = away;
            isAway = true;
        } catch (RuntimeException | Error e) {
            last = e;
        }
        return otherwise;
    }

    void add(Troubles others) {
        isAway |= others.isAway;
        last = others.last == null ? last : others.last;
    }
}
