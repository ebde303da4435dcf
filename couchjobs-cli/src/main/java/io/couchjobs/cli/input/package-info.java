/** Parses the input of people and files into times, durations and jobs. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.input;
