/** A live view of a queue at a terminal. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.top;
