package io.couchjobs.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A worker as the database knows it. Immutable and thread-safe.
 *
 * @param id its id
 * @param registered what it says of itself; null for one that only owns jobs: a program that claims by hand, or a dead worker
 *     whose registration is deleted
 * @param jobs what it owns
 */
public record WorkerInfo(String id, @Nullable Registered registered, List<JobIndex.Owned> jobs) {
    /** Workers give a sign of life every third of a timeout, which is a minute unless set otherwise. */
    private static final Duration SILENT = Duration.ofMinutes(1);

    /**
     * A worker.
     *
     * @param id its id
     * @param registered what it says of itself, or null
     * @param jobs what it owns
     */
    public WorkerInfo {
        jobs = List.copyOf(jobs);
    }

    /**
     * What a worker says of itself. Immutable and thread-safe.
     *
     * @param at its last sign of life, by the server's clock as far as it knew
     * @param started when it started
     * @param pid its process
     * @param types what it takes
     */
    public record Registered(Instant at, Instant started, long pid, List<String> types) {
        /**
         * What a worker says.
         *
         * @param at its last sign of life
         * @param started when it started
         * @param pid its process
         * @param types what it takes
         */
        public Registered {
            types = List.copyOf(types);
        }
    }

    /** {@return what it says of itself, if it is registered} */
    public Optional<Registered> registration() {
        return Optional.ofNullable(registered);
    }

    /**
     * Whether it gives no sign of life. That it is dead is for the activity monitor to say, which compares no clocks.
     *
     * @param now the server's time
     * @return true when it is not registered, or was not heard of for a minute
     */
    public boolean isSilent(Instant now) {
        return registered == null || registered.at().plus(SILENT).isBefore(now);
    }
}
