/** Parses input of people and files into values: times, durations, jobs. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.input;
