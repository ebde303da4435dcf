package io.couchjobs.engine.store;

/** What became of a document with several leaves. */
public enum ConflictOutcome {
    /** There was nothing to do. */
    SETTLED,
    /** There is one leaf now, as far as this process can see. */
    RESOLVED,
    /** Two may own it: somebody must look again when one has ended or its lease is over. */
    UNDECIDED,
    /** No quorum confirmed a write, or others were always faster: somebody must look again soon. */
    OPEN
}
