/**
 * Recurring jobs: schedules as documents, and what makes their jobs. {@link io.couchjobs.schedule.Timing} says when,
 * {@link io.couchjobs.schedule.Schedule} what and how, {@link io.couchjobs.schedule.Schedules} changes them, {@link
 * io.couchjobs.engine.schedule.Scheduler} makes the jobs. Beside the workers, above the store.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.schedule;
