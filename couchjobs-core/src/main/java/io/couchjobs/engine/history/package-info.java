/** Counts the runs of workers, by minute and hour. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.history;
