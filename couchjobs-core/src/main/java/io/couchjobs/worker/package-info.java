/**
 * Workers: they claim due jobs, run handlers, renew the leases of their jobs, and expire the claims of dead workers.
 *
 * <p>Start with {@link io.couchjobs.worker.WorkerBuilder} (how to configure a worker), {@link io.couchjobs.worker.JobHandler}
 * (the code that runs a job) and {@link io.couchjobs.worker.JobContext} (the operations of a handler on its job).
 */
@NullMarked
package io.couchjobs.worker;

import org.jspecify.annotations.NullMarked;
