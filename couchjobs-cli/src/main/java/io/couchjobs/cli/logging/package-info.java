/** Prints the log of the libraries as lines on standard error. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.logging;
