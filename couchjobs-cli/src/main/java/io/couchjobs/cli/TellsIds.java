package io.couchjobs.cli;

/** A command that takes {@code -o id}: all that it tells has an id, or it prints the same in every format. */
interface TellsIds {}
