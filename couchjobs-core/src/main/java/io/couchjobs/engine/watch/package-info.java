/** Tells subscribers and waiting callers what happened to a job, when a majority of the copies has it. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.watch;
