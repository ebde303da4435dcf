package io.couchjobs.admin;

/** How the guard of a database stands. */
public enum GuardState {
    /** There is none: everybody who may write to the database may write anything. */
    ABSENT,
    /** The one of this version of couchjobs is there. */
    CURRENT,
    /** One of another version is there, or one that somebody changed. */
    OTHER
}
