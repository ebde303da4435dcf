/**
 * Workers: they claim due jobs, run handlers, keep the leases of what they run, and take back what dead workers left.
 *
 * <p>Read {@link io.couchjobs.worker.Worker} (claim, hand over), then {@code Run} (one run, from claim to finish), {@code
 * LeaseKeeper} (how ownership is kept, and given up) and {@code ActivityMonitor} (how it is taken from the dead).
 */
@NullMarked
package io.couchjobs.worker;

import org.jspecify.annotations.NullMarked;
