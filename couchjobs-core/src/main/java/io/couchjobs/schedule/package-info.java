/**
 * Recurring jobs. A {@link io.couchjobs.schedule.Schedule} says when and how jobs are made, {@link
 * io.couchjobs.schedule.Schedules} changes schedules, and every process with a worker makes the jobs.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.schedule;
