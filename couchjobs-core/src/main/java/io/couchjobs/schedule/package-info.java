/**
 * Recurring jobs. A {@link io.couchjobs.schedule.Schedule} says when to make which jobs. {@link io.couchjobs.schedule.Schedules}
 * changes schedules. Every process with a worker makes the jobs.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.schedule;
