/** The demonstration: the SHA-256 of real files, computed by competing worker processes and checked. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.demo;
