package io.couchjobs.couch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.couch.Json;

/**
 * Statistics of a database, as of one moment.
 *
 * @param name the database's name
 * @param created the time of its creation in seconds since 1970; 0 when the server does not say
 * @param docCount the number of documents that are not deleted
 * @param deletedDocCount the number of tombstones
 * @param updateSeq the feed position, an opaque text
 * @param fileSize bytes on disk; -1 when the server does not say
 * @param activeSize bytes in use, which a compaction would keep; -1 when the server does not say
 * @param purgeSeq the position of the last purge, an opaque text
 * @param copies how many nodes keep a copy of each document ({@code cluster.n}); 1 when the server does not say
 * @param shards how many shards the documents are divided into by their ids ({@code cluster.q}); 1 when the server does not
 *     say
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

    /** Returns the time of creation; 0 for PouchDB Server, which sends its own start time in milliseconds instead. */
    private static long created(ObjectNode info) {
        long seconds = info.path("instance_start_time").asLong();
        return seconds > MOST_SECONDS ? 0 : seconds;
    }

    /** {@return how many changes the database has had; on a cluster the number depends on which copies answered} */
    public long changes() {
        return changes(updateSeq);
    }

    /**
     * Returns the number at the beginning of a feed position. The number grows with the changes of a database.
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
