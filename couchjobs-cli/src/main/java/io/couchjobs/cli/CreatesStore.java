package io.couchjobs.cli;

/** Marks a command that creates the store in the folder of {@code --url embedded:DIR} when there is none. */
interface CreatesStore {}
