package io.couchjobs;

/**
 * How a design document of couchjobs stands. Immutable and thread-safe.
 *
 * @param name its name, with its version
 * @param state what is the matter with it
 */
public record DesignState(String name, State state) {
    /** The states of a design document. */
    public enum State {
        /** It is in the database, as this version of couchjobs wants it. */
        CURRENT,
        /** This version wants it, and it is not in the database. */
        MISSING,
        /** It is in the database, but somebody changed it. */
        CHANGED,
        /** It is in the database, and belongs to another version. */
        OTHER
    }

    /** {@return whether workers of this version find what they expect} */
    public boolean isFine() {
        return state == State.CURRENT || state == State.OTHER;
    }
}
