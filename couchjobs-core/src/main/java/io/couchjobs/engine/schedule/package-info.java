/** Decides which ticks of schedules are due, and makes their jobs. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.schedule;
