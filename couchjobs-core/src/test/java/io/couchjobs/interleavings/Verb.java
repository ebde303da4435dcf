package io.couchjobs.interleavings;

import java.util.EnumSet;
import java.util.Set;

/** What players do. */
enum Verb {
    READ,
    ADD,
    INSERT,
    INSERT_IF_NEW,
    CANCEL,
    REMOVE,
    RETRY,
    RESCHEDULE,
    PRIORITIZE,
    RESUBMIT,
    FOREIGN_PUT,
    CLAIM,
    START,
    UPDATE,
    RESUBMIT_OWN,
    FINISH,
    FAIL,
    RELEASE,
    ACKNOWLEDGE_CANCEL,
    EXPIRE;

    /** What makes a job that was absent. */
    static final Set<Verb> CREATING = EnumSet.of(ADD, INSERT, INSERT_IF_NEW);
    /** What the owner does and goes on owning. */
    static final Set<Verb> OWNING = EnumSet.of(START, UPDATE, RESUBMIT_OWN);
    /** How the owner ends a run. */
    static final Set<Verb> ENDING = EnumSet.of(FINISH, FAIL, RELEASE, ACKNOWLEDGE_CANCEL);
    /** What others may write while somebody owns the job. */
    static final Set<Verb> FROM_OUTSIDE = EnumSet.of(ADD, CANCEL, RESUBMIT, FOREIGN_PUT);

    /** What counts as a new wish for a job that waits: it takes the next fence. */
    static final Set<Verb> WISHING = EnumSet.of(ADD, CANCEL, RETRY, RESUBMIT);

    boolean isOwners() {
        return OWNING.contains(this) || ENDING.contains(this);
    }
}
