package io.couchjobs.engine.index;

import io.couchjobs.engine.time.Environment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the index is asked a question that is not urgent. The server indexes all that is new before it answers. While very many
 * jobs are written, that slows their writers down. So the question waits until another question has brought the index up to date, but
 * for a minute at most. Used by one thread at a time.
 */
public final class IndexPatience {
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final JobIndex index;
    private final Environment environment;
    private @Nullable Long waitsSince;

    /** No I/O. */
    public IndexPatience(JobIndex index, Environment environment) {
        this.index = index;
        this.environment = environment;
    }

    /** {@return whether the question is to be asked later, and not now} */
    public boolean waits() {
        long now = environment.nanos();
        boolean hasWaited = waitsSince != null && now - waitsSince >= LONGEST.toNanos();
        if (hasWaited || !index.isFarBehind()) {
            waitsSince = null;
            return false;
        }
        waitsSince = waitsSince == null ? Long.valueOf(now) : waitsSince;
        return true;
    }
}
