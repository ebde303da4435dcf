/** The due jobs: a window of the index that the feed keeps current, and the choice of the jobs that a worker claims. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.due;
