package io.couchjobs.telemetry;

import io.couchjobs.job.Job;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/** Since when a job could have been claimed. */
final class Due {
    /** These events tell of the previous run; its end has a time of its own. */
    private static final Set<String> NO_REASON_TO_RUN = Set.of("claimed", "started");

    private Due() {}

    /**
     * Returns the later of two times: the job's scheduled time, and the last time when it was created, failed, was given back, or
     * its lease expired.
     *
     * @param pending the job as it waits
     * @return the time; the epoch when the job does not say
     */
    static Instant since(Job pending) {
        return pending.times().entrySet().stream()
                .filter(time -> !NO_REASON_TO_RUN.contains(time.getKey()))
                .map(Map.Entry::getValue)
                .reduce(pending.scheduledTime(), (one, other) -> one.isAfter(other) ? one : other);
    }
}
