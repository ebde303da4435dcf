package io.couchjobs.couch;

/**
 * The index of a design document in numbers, as of one moment.
 *
 * @param fileSize bytes on disk; -1 when the server does not say
 * @param activeSize bytes still in use, which a compaction would leave; -1 when the server does not say
 * @param compacting whether it is being compacted
 * @param updating whether it is catching up with the documents
 */
public record ViewInfo(long fileSize, long activeSize, boolean compacting, boolean updating) {}
