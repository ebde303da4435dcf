/** Alarms: what is wrong with a queue, and who is told. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.alarm;
