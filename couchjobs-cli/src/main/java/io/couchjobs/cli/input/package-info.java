/** What people and files say, turned into values: times, durations, jobs. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.input;
