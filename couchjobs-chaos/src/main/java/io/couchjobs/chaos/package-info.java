/**
 * Chaos tests. A run starts real processes with a queue, and keeps killing, freezing and disconnecting some of them. Then it
 * checks whether the queue kept its promises, from notes that the processes made outside of the queue. Start reading at {@link
 * io.couchjobs.chaos.Chaos}; {@link io.couchjobs.chaos.Checker} defines the promises.
 */
@NullMarked
package io.couchjobs.chaos;

import org.jspecify.annotations.NullMarked;
