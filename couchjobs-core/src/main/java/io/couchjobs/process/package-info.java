/** Runs a separate program for each job, and stops the program and its descendants when the run must stop. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.process;
