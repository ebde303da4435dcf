/** Starts processes of the same program. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.child;
