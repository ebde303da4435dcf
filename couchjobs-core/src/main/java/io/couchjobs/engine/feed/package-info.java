/** The one changes feed of a process, its position, its pace, and who hears of what. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.feed;
