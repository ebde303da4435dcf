package io.couchjobs.embedded.feed;

/**
 * A client's request to the changes feed.
 *
 * @param since the sequence number after which changes are wanted
 * @param limit the maximum number of rows; {@link #NO_LIMIT} for all
 * @param seqInterval one in this many rows contains its sequence
 * @param heartbeat milliseconds between heartbeats; 0 for none, and then {@code timeout} applies
 * @param timeout the milliseconds without a change after which a waiting feed ends
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
    /** The number of rows that CouchDB uses as "no limit". */
    public static final long NO_LIMIT = 1_000_000_000_000_000L;

    /** The forms of a feed. */
    public enum Form {
        NORMAL,
        LONGPOLL,
        CONTINUOUS,
        EVENTSOURCE
    }

    /** The contents of a row. */
    public record Rows(boolean descending, boolean docs, boolean conflicts, boolean attachments) {}
}
