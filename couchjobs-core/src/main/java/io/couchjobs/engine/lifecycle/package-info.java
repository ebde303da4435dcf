/**
 * What may happen to a job and what that writes. Pure: no I/O and no clock.
 *
 * <p>Read {@link io.couchjobs.engine.lifecycle.Event} (what may happen), {@link io.couchjobs.engine.lifecycle.Transitions} (what it
 * does) and {@link io.couchjobs.engine.lifecycle.Resolution} (which leaf of a conflict counts).
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.lifecycle;
