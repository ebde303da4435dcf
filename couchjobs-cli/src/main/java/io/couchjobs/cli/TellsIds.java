package io.couchjobs.cli;

/** Marks a command that accepts {@code -o id}: all its results have an id, or it prints the same in every format. */
interface TellsIds {}
