/**
 * Runs real processes with a queue, and kills, freezes and cuts off some of them all the time. Then it proves, from notes that
 * the processes made outside of the queue, that the queue kept its promises. Start at {@link io.couchjobs.chaos.Chaos}; {@link
 * io.couchjobs.chaos.Checker} defines a broken promise.
 */
@NullMarked
package io.couchjobs.chaos;

import org.jspecify.annotations.NullMarked;
