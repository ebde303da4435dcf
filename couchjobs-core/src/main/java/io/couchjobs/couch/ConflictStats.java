package io.couchjobs.couch;

/**
 * Counts of how a process handled documents with several leaves since it started. Immutable and thread-safe.
 *
 * @param resolved how often a document was brought back to one leaf, or a claim that made no owner taken back
 * @param undecided how often it could not be known yet which of two owners a quorum had confirmed; they are looked at again
 * @param troubled how often a document could not be read or written; it is tried again
 * @param open how many documents this process is going to look at
 */
public record ConflictStats(long resolved, long undecided, long troubled, int open) {}
