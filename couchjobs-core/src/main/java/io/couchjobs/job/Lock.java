package io.couchjobs.job;

import java.time.Instant;

/**
 * Who owns a job. Immutable and thread-safe.
 *
 * @param token a UUID, new with every claim: what the owner proves its ownership with
 * @param worker the id of the worker that claimed the job
 * @param since when it was claimed, by the claimer's clock corrected to the server's
 */
public record Lock(String token, String worker, Instant since) {}
