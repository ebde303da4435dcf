package io.couchjobs.embedded.cluster;

/** A listener for a feed. Both methods are called on the agenda's thread. */
public interface FeedListener {
    /** Receives a change. A change may be repeated, and older changes may follow newer ones. */
    void row(FeedRow row);

    /** The feed has ended because its copy or database is gone. Following again from the last row uses another copy. */
    void ended();
}
