/**
 * The vocabulary and the rules of jobs: pure values and pure functions, no I/O.
 *
 * <p>Read {@link io.couchjobs.job.JobStatus}, then {@link io.couchjobs.engine.lifecycle.Event} (the state machine as one table), then
 * {@link io.couchjobs.engine.lifecycle.Transitions} (what each event does to a job).
 */
@NullMarked
package io.couchjobs.job;

import org.jspecify.annotations.NullMarked;
