package io.couchjobs.couch;

/**
 * A database in numbers, as of one moment.
 *
 * @param name its name
 * @param created when it was made, in seconds since 1970; 0 when the server does not say
 * @param docCount documents that are there
 * @param deletedDocCount tombstones
 * @param updateSeq the feed position, opaque
 * @param fileSize bytes on disk; -1 when the server does not say
 * @param activeSize bytes still in use, which a compaction would leave; -1 when the server does not say
 * @param purgeSeq how far purging has come, opaque
 * @param copies how many nodes keep a copy of each document ({@code cluster.n}); 1 when the server does not say
 * @param shards into how many parts the documents are divided by their ids ({@code cluster.q}); 1 when the server does not say
 */
public record DatabaseInfo(
        String name,
        long created,
        long docCount,
        long deletedDocCount,
        String updateSeq,
        long fileSize,
        long activeSize,
        String purgeSeq,
        int copies,
        int shards) {

    /** {@return how many changes the database has seen; on a cluster that depends on which copies were asked} */
    public long changes() {
        return changes(updateSeq);
    }

    /**
     * The number that feed positions begin with; it grows as a database changes.
     *
     * @param position a feed position
     * @return the number; 0 for a position without one
     */
    public static long changes(String position) {
        int digits = 0;
        while (digits < Math.min(position.length(), 18) && Character.isDigit(position.charAt(digits))) {
            digits++;
        }
        return digits == 0 ? 0 : Long.parseLong(position.substring(0, digits));
    }
}
