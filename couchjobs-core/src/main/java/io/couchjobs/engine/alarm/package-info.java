/** Alarms, which report problems of a queue. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.alarm;
