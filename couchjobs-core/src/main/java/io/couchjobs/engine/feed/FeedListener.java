package io.couchjobs.engine.feed;

import java.time.Duration;

/** Hears of changes. */
public interface FeedListener {
    /** How late a listener that waits for a change hears of it. Shorter pauses cost the server more than they save. */
    Duration SOON = Duration.ofMillis(100);
    /** How late a listener that is in no hurry hears of a change. */
    Duration LATER = Duration.ofSeconds(1);

    /** A document changed. The call may come twice or late, or report an older state. */
    void changed(FeedEvent event);

    /**
     * Whether the listener needs a document that changed. When no listener does, the document may not be read, and
     * all are told by {@link #unread}; otherwise all get it by {@link #changed}. The answer may change with time.
     * Asked about jobs, chunks of their logs and the history only: other documents are always read.
     *
     * @return true by default
     */
    default boolean needsDocument(FeedNotice notice) {
        return true;
    }

    /** A document changed and was not read, because no listener needed it. The call may come twice, late, or for an older state. */
    default void unread(FeedNotice notice) {}

    /**
     * {@return how late the listener may hear of a change while very many come; may change with time. {@link #SOON} by
     * default}
     */
    default Duration patience() {
        return SOON;
    }

    /**
     * {@return whether the listener must hear of each change. If no listener must, many may go by while they concern nobody
     * here, and all hear of it by {@link #skipped}; may change with time. True by default}
     */
    default boolean needsEach() {
        return true;
    }

    /** Many changes went by, and nobody was told of any of them: the listener looks for what concerns it. */
    default void skipped() {
        gap();
    }

    /** The position was lost: nothing heard before is certain any more, so the listener must look again. */
    default void gap() {}

    /** The connection was replaced and goes on from its position; a listener that needs certainty looks again. */
    default void reconnected() {
        gap();
    }
}
