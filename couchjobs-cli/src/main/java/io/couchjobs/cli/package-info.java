/** The command line. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli;
