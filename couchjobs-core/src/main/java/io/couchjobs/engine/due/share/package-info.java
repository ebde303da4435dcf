/** The division of jobs among competing workers, so that few claims collide. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.due.share;
