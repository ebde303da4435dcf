package io.couchjobs.engine.index;

import io.couchjobs.engine.time.Environment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the index gets a query that is not urgent. The server indexes all new changes before it answers. While
 * very many jobs are written, this slows down their writers. So the query waits until another query has brought the
 * index up to date, but for a minute at most. Used by one thread at a time.
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

    /** {@return whether the query is to be sent later, and not now} */
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
