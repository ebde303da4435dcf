/** The one changes feed of a process: its position, its pace and its listeners. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.feed;
