package io.couchjobs.couch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An open changes feed. One thread at a time calls {@link #next}; the other methods are safe from any thread.
 *
 * <p>A feed may repeat changes, and on a cluster it may go back, but it never leaves one out. When it breaks, open a
 * new one from {@link #lastSeq}.
 */
public interface ChangesFeed extends AutoCloseable {

    /**
     * The next change. Heartbeats are swallowed.
     *
     * @param atMost how long to wait for one; zero looks without waiting
     * @return the change; empty when none came in that time, when the feed has ended or is closed, or when the thread
     *     was interrupted (its flag stays set)
     * @throws CouchUnreachableException the connection broke, or was silent for three heartbeats; thrown after all
     *     changes that came before were handed out
     * @throws CouchException the server reported an error or sent something else than changes, or a row longer than 16 MiB
     */
    Optional<Change> next(Duration atMost);

    /** {@return when the last byte came, heartbeats included, as {@link System#nanoTime} counts} */
    long lastSignOfLife();

    /**
     * {@return the position to go on from: that of the last change handed out by {@link #next}, at first the one asked
     * for, and when the feed has ended in order the one it ended at}
     */
    String lastSeq();

    /** {@return whether nothing more will come: the server ended the feed, it broke, or it was closed} */
    boolean isEnded();

    /**
     * Ends the feed because it does not deliver the existing changes. A client that knows several nodes sends its next
     * requests, the next feed included, to another one.
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
     * @param seq the feed position after this change, opaque
     * @param id the document's id
     * @param revs the winning revision, and with {@code styleAllDocs} the other leaves after it
     * @param deleted whether the winner is a tombstone
     * @param doc the document, when asked for; null otherwise or when it is gone already
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
         * @param deleted whether it is gone
         * @param doc the document or null
         */
        public Change {
            revs = List.copyOf(revs);
        }
    }
}
