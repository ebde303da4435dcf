package io.couchjobs.engine.feed;

import java.time.Duration;

/** A listener that the feed tells of changes. */
public interface FeedListener {
    /** The patience of a listener that waits for a change. Shorter pauses cost the server more than they save. */
    Duration SOON = Duration.ofMillis(100);
    /** The patience of a listener that is in no hurry. */
    Duration LATER = Duration.ofSeconds(1);

    /** Reports a changed document. The call may come twice or late, or report an older state. */
    void changed(FeedEvent event);

    /**
     * Returns whether the listener needs a document that changed. If no listener needs the document, it may not be
     * read, and all listeners are told by {@link #unread}. Otherwise all listeners get it by {@link #changed}. The
     * answer may change with time. The feed asks about jobs, chunks of their logs and the history only: it always reads
     * other documents.
     *
     * @return true by default
     */
    default boolean needsDocument(FeedNotice notice) {
        return true;
    }

    /**
     * Reports a changed document that was not read, because no listener needed it. The call may come twice or late, or
     * report an older state.
     */
    default void unread(FeedNotice notice) {}

    /**
     * {@return how late the listener may hear of a change while very many changes come; {@link #SOON} by default} The
     * answer may change with time.
     */
    default Duration patience() {
        return SOON;
    }

    /**
     * {@return whether the listener must hear of each change; true by default} If no listener must, the feed may skip many
     * changes that concern none of them, and then calls {@link #skipped}. The answer may change with time.
     */
    default boolean needsEach() {
        return true;
    }

    /** Reports that the feed skipped many changes without telling anybody. The listener looks for changes that concern it. */
    default void skipped() {
        gap();
    }

    /** Reports that the position was lost. Nothing heard before is certain any more, so the listener must look again. */
    default void gap() {}

    /**
     * Reports that the connection was replaced and continues from its position. A listener that needs certainty looks
     * again.
     */
    default void reconnected() {
        gap();
    }
}
