package io.couchjobs.engine.store;

/** Listens to bulk requests. Must be quick and must not throw. */
public interface BulkListener {
    /** A request is about to be sent. */
    void begins();

    /**
     * A request was answered or given up.
     *
     * @param documents how many it stored, or tried to; 0 when nothing is known
     */
    void ends(int documents);
}
