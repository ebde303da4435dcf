package io.couchjobs.cli;

/** A command that makes the store in the folder of {@code --url embedded:DIR} when there is none. */
interface CreatesStore {}
