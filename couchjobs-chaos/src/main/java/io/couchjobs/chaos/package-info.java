/**
 * Real processes with a queue, of which some are killed, frozen and cut off all the time, and the proof from what they noted outside
 * of the queue that it kept its promises. Start at {@link io.couchjobs.chaos.Chaos}; what counts as a broken promise is in {@link
 * io.couchjobs.chaos.Checker}.
 */
@NullMarked
package io.couchjobs.chaos;

import org.jspecify.annotations.NullMarked;
