package io.couchjobs.couch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.couch.Json;

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

    private static final long MOST_SECONDS = 99_999_999_999L;

    static DatabaseInfo of(ObjectNode info) {
        JsonNode sizes = info.path("sizes");
        return new DatabaseInfo(
                Json.text(info, "db_name"),
                created(info),
                info.path("doc_count").asLong(),
                info.path("doc_del_count").asLong(),
                Json.text(info, "update_seq"),
                sizes.path("file").asLong(-1),
                sizes.path("active").asLong(-1),
                Json.text(info, "purge_seq"),
                info.path("cluster").path("n").asInt(1),
                Math.max(1, info.path("cluster").path("q").asInt(1)));
    }

    /** PouchDB Server says here since when it runs, in milliseconds. */
    private static long created(ObjectNode info) {
        long seconds = info.path("instance_start_time").asLong();
        return seconds > MOST_SECONDS ? 0 : seconds;
    }

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
