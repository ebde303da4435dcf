/**
 * The vocabulary and the rules of jobs: pure values and pure functions, no I/O.
 *
 * <p>Read {@link io.couchjobs.job.JobStatus}, then {@link io.couchjobs.engine.lifecycle.Event} (the state machine as
 * one table), then {@link io.couchjobs.engine.lifecycle.Transitions} (the effects of each event on a job).
 */
@NullMarked
package io.couchjobs.job;

import org.jspecify.annotations.NullMarked;
