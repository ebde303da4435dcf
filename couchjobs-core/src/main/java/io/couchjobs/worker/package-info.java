/**
 * Workers: they claim due jobs, run handlers, keep the leases of what they run, and take back what dead workers left.
 *
 * <p>Start with {@link io.couchjobs.worker.WorkerBuilder} (how a worker is described), {@link io.couchjobs.worker.JobHandler}
 * (the code that runs a job) and {@link io.couchjobs.worker.JobContext} (what a handler can ask and tell).
 */
@NullMarked
package io.couchjobs.worker;

import org.jspecify.annotations.NullMarked;
