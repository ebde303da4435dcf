package io.couchjobs.engine.store;

/** The result of resolving a document with several leaves. */
public enum ConflictOutcome {
    /** There was nothing to do. */
    SETTLED,
    /** There is one leaf now, as far as this process can see. */
    RESOLVED,
    /** Two claims may own it: it must be looked at again when one has ended or its lease is over. */
    UNDECIDED,
    /** No quorum confirmed a write, or other writers were always faster: it must be looked at again soon. */
    OPEN
}
