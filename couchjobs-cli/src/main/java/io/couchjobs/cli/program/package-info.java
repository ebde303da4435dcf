/** Runs a program per job, and gets rid of it when it must stop. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.program;
