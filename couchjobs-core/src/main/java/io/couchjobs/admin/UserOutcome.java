package io.couchjobs.admin;

/** The outcome of a request for a user with a role. */
public enum UserOutcome {
    /** There was no such user. */
    CREATED,
    /** The user has the role now; the password is what it was. */
    GRANTED,
    /** The user had the role. */
    UNCHANGED
}
