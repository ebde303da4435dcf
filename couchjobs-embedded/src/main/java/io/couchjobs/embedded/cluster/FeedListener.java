package io.couchjobs.embedded.cluster;

/** Receives a feed. Both methods are called on the agenda's thread. */
public interface FeedListener {
    /** A change; the same one may come again, and older ones after newer ones. */
    void row(FeedRow row);

    /** The feed has ended because a copy it read is gone, or the database; following again from the last row goes on elsewhere. */
    void ended();
}
