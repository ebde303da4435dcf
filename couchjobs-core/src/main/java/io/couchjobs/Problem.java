package io.couchjobs;

import io.couchjobs.job.WorkerInfo;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.type.TypeSettings;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A finding about a queue or its server that an operator should know. Immutable and thread-safe.
 *
 * @param name a short name of the subject, such as a job type
 * @param level the severity
 * @param finding the finding
 * @param consequence the consequence; empty when all is well
 * @param remedy the recommended action; empty when all is well
 */
public record Problem(String name, Level level, String finding, String consequence, String remedy) {
    /** The severity of a finding. */
    public enum Level {
        /** All is well. */
        OK,
        /** A note; nothing is broken. */
        NOTE,
        /** A problem that should be fixed. */
        PROBLEM
    }

    /**
     * Finds the problems of a queue in its counts, settings and workers. The dashboard and {@code couchjobs doctor} show the same
     * problems.
     *
     * @param counts the job counts by type
     * @param settings the settings of the types that have settings
     * @param workers the workers
     * @param now the server's time
     * @return the problems of types, ordered by type, and then those of workers; empty when all is well
     */
    public static List<Problem> of(
            Map<String, TypeCounts> counts, Map<String, TypeSettings> settings, List<WorkerInfo> workers, Instant now) {
        return new QueueProblems(counts, settings, workers, now).list();
    }
}
