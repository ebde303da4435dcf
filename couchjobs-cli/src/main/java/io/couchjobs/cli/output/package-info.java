/** The output of commands: tables for people, JSON for programs, progress for people who wait. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.output;
