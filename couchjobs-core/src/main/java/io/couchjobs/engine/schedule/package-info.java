/** Makes the jobs of schedules: which ticks are due, and what each of them writes. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.schedule;
