/** How workers that compete for the same jobs divide them, so that few claims collide. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.due.share;
