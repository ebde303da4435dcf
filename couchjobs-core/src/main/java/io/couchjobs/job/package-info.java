/**
 * Jobs as values, requests and results, and the exceptions about jobs. No I/O.
 *
 * <p>Start with {@link io.couchjobs.job.JobRequest} (a job to add), {@link io.couchjobs.job.Job} (a job as it is stored) and
 * {@link io.couchjobs.job.JobStatus} (its states).
 */
@NullMarked
package io.couchjobs.job;

import org.jspecify.annotations.NullMarked;
