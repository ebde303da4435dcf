/** Which jobs are due: a window of the index, kept current by the feed, and how a worker chooses from it. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.due;
