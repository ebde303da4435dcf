package io.couchjobs.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A change of a job, as a subscriber or watcher is told it: another state or status, another run, or new data or progress of a
 * run. Immutable and thread-safe.
 *
 * @param id which job
 * @param phase its phase then; {@code NOT_FOUND} when it was removed
 * @param now the job as it was then, or null when it was removed
 * @see Subscription
 */
public record JobChange(JobId id, JobPhase phase, @Nullable Job now) {
    /** {@return the job as it was then, without attached data; empty when it was removed} */
    public Optional<Job> job() {
        return Optional.ofNullable(now);
    }

    /**
     * {@return a copy of the job's data; empty when it was removed}
     *
     * @throws UnreadableDataException when it is attached: {@code JobQueue.withData(job)} reads it
     */
    public Optional<ObjectNode> data() {
        return job().map(Job::data);
    }
}
