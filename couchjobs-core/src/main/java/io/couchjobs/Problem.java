package io.couchjobs;

import io.couchjobs.job.WorkerInfo;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.type.TypeSettings;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Something about a queue or its server that people should know. Immutable and thread-safe.
 *
 * @param name what was looked at, in a word
 * @param level how bad it is
 * @param finding what was found
 * @param consequence what comes of it; empty when all is well
 * @param remedy what to do; empty when all is well
 */
public record Problem(String name, Level level, String finding, String consequence, String remedy) {
    /** How bad something is. */
    public enum Level {
        /** As it should be. */
        OK,
        /** Something to know; nothing is broken. */
        NOTE,
        /** Something to be put right. */
        PROBLEM
    }

    /**
     * The problems of a queue, as its numbers, settings and workers show them. The dashboard and {@code couchjobs doctor} tell the
     * same.
     *
     * @param counts the numbers by type
     * @param settings the settings of types that have some
     * @param workers the workers
     * @param now the server's time
     * @return what people should know, by type, then of workers; empty when all is well
     */
    public static List<Problem> of(
            Map<String, TypeCounts> counts, Map<String, TypeSettings> settings, List<WorkerInfo> workers, Instant now) {
        return new QueueProblems(counts, settings, workers, now).list();
    }
}
