package io.couchjobs.job;

import java.time.Instant;

/**
 * A line of a job's log. Immutable and thread-safe.
 *
 * @param fence which claim of the job wrote it
 * @param attempt which run of the job wrote it, 1 for the first
 * @param at when, by the server's clock
 * @param text the line
 */
public record LogLine(long fence, int attempt, Instant at, String text) {}
