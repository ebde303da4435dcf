package io.couchjobs.couch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An open changes feed. Only one thread at a time may call {@link #next}; the other methods are thread-safe.
 *
 * <p>A feed may repeat changes, and on a cluster it may go back, but it never omits a change. When a feed breaks, open a new
 * one from {@link #lastSeq}.
 */
public interface ChangesFeed extends AutoCloseable {

    /**
     * Waits for the next change. Heartbeats are not returned.
     *
     * @param atMost how long to wait; zero does not wait
     * @return the change; empty when none came in time, when the feed has ended or is closed, or when the thread was
     *     interrupted (its interrupt flag stays set)
     * @throws CouchUnreachableException if the connection broke, or was silent for three heartbeats; thrown after all changes
     *     that came before were returned
     * @throws CouchException if the server reported an error, or sent something other than changes, or a row longer than 16
     *     MiB
     */
    Optional<Change> next(Duration atMost);

    /** {@return when the last byte came, including heartbeats, on the clock of {@link System#nanoTime}} */
    long lastSignOfLife();

    /**
     * {@return the position to continue from: the position of the last change that {@link #next} returned, or the requested
     * position before the first change, or the final position when the server has ended the feed}
     */
    String lastSeq();

    /** {@return whether no more changes will come: the server ended the feed, it broke, or it was closed} */
    boolean isEnded();

    /**
     * Ends the feed because it does not deliver existing changes. A client with several nodes sends its next requests,
     * including the next feed, to another node.
     */
    default void abandon() {
        close();
    }

    /** Ends the feed and unblocks {@link #next}. Closing twice does nothing. */
    @Override
    void close();

    /**
     * One row of the changes feed.
     *
     * @param seq the feed position after this change, an opaque text
     * @param id the document's id
     * @param revs the winning revision, followed by the other leaves if requested by {@code styleAllDocs}
     * @param deleted whether the winner is a tombstone
     * @param doc the document; null when it was not requested, or does not exist any more
     */
    record Change(
            String seq,
            String id,
            List<String> revs,
            boolean deleted,
            @Nullable ObjectNode doc) {

        /**
         * Copies the list of leaves.
         *
         * @param seq the feed position
         * @param id the document's id
         * @param revs its leaves
         * @param deleted whether the winner is a tombstone
         * @param doc the document or null
         */
        public Change {
            revs = List.copyOf(revs);
        }
    }
}
