/** What a queue does, live at a terminal. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.top;
