package io.couchjobs.engine.store;

/** The result of resolving a document with several leaves. */
public enum ConflictOutcome {
    /** The document had no conflict. */
    SETTLED,
    /** The document has one leaf now, as far as this process can see. */
    RESOLVED,
    /** Two claims may own the job. The document must be checked again when one of them has ended or its lease is over. */
    UNDECIDED,
    /** No quorum confirmed a write, or other writers were always first. The document must be checked again soon. */
    OPEN
}
