package io.couchjobs.couch;

/**
 * Statistics of the conflicts (documents with several leaves) that a process has handled since it started. Immutable and
 * thread-safe.
 *
 * @param resolved how often a document was reduced to one leaf, or a claim that made no owner was taken back
 * @param undecided how often it was not known yet which of two owners a quorum had confirmed; this is checked again later
 * @param troubled how often a document could not be read or written; this is tried again later
 * @param open how many documents this process has yet to check
 */
public record ConflictStats(long resolved, long undecided, long troubled, int open) {}
