/** What a command says: tables for people, JSON for programs, progress for who waits. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.cli.output;
