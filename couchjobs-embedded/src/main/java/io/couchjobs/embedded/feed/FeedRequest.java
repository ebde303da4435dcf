package io.couchjobs.embedded.feed;

import io.couchjobs.embedded.store.Doc;
import java.util.function.Predicate;

/**
 * A client's request to the changes feed.
 *
 * @param since the number after which changes are wanted
 * @param limit the most rows; at least 1
 * @param heartbeat milliseconds between signs of life; 0 for none, and then {@code timeout} counts
 * @param timeout milliseconds without a change after which a waiting feed ends
 */
public record FeedRequest(
        Form form, long since, long limit, long heartbeat, long timeout, Rows rows, Predicate<Doc> filter) {
    /** How the feed answers. */
    public enum Form {
        NORMAL,
        LONGPOLL,
        CONTINUOUS,
        EVENTSOURCE
    }

    /** The contents of a row. */
    public record Rows(boolean allLeaves, boolean descending, boolean docs, boolean conflicts, boolean attachments) {}
}
