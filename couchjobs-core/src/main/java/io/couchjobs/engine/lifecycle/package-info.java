/**
 * The events of jobs and the document writes that they cause. Pure functions: no I/O and no clock.
 *
 * <p>Read {@link io.couchjobs.engine.lifecycle.Event} (the events), {@link io.couchjobs.engine.lifecycle.Transitions}
 * (their effects) and {@link io.couchjobs.engine.lifecycle.Resolution} (which leaf of a conflict counts).
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.lifecycle;
