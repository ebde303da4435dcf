package io.couchjobs;

/** Hears of every change of any document of a queue. Called by one thread at a time; must be quick, and never wait. */
@FunctionalInterface
public interface ChangeListener {
    /**
     * A document changed. A change may be told twice, late, or after a later one.
     *
     * @param change what changed
     */
    void changed(DocumentChange change);

    /** Changes may have been missed: nothing that was heard before is certain any more. */
    default void gap() {}
}
