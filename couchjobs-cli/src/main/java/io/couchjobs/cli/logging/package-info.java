/** What the libraries have to say, as lines on standard error. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.logging;
