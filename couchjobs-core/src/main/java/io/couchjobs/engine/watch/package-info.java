/** Tells subscribers and waiting callers what happens to a job, and how it ends once a majority of the copies has the end. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.watch;
