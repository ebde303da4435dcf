package io.couchjobs.embedded.feed;

/**
 * A client's request to the changes feed.
 *
 * @param since the number after which changes are wanted
 * @param limit the most rows; {@link #NO_LIMIT} for all
 * @param seqInterval one of so many rows tells its position
 * @param heartbeat milliseconds between signs of life; 0 for none, and then {@code timeout} counts
 * @param timeout milliseconds without a change after which a waiting feed ends
 */
public record FeedRequest(
        Form form,
        long since,
        long limit,
        long seqInterval,
        long heartbeat,
        long timeout,
        Rows rows,
        LeafFilter filter) {
    /** As many rows as CouchDB gives without a limit. */
    public static final long NO_LIMIT = 1_000_000_000_000_000L;

    /** How the feed answers. */
    public enum Form {
        NORMAL,
        LONGPOLL,
        CONTINUOUS,
        EVENTSOURCE
    }

    /** The contents of a row. */
    public record Rows(boolean descending, boolean docs, boolean conflicts, boolean attachments) {}
}
