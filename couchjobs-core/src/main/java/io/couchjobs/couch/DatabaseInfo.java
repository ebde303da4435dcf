package io.couchjobs.couch;

/**
 * A database in numbers, as of one moment.
 *
 * @param name its name
 * @param docCount documents that are there
 * @param deletedDocCount tombstones
 * @param updateSeq the feed position, opaque
 * @param fileSize bytes on disk; -1 when the server does not say
 * @param activeSize bytes still in use, what a compaction would leave; -1 when the server does not say
 * @param purgeSeq how far purging has come, opaque
 * @param copies how many nodes keep a copy of each document ({@code cluster.n}); 1 when the server does not say
 */
public record DatabaseInfo(
        String name,
        long docCount,
        long deletedDocCount,
        String updateSeq,
        long fileSize,
        long activeSize,
        String purgeSeq,
        int copies) {}
