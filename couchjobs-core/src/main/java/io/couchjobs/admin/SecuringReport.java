package io.couchjobs.admin;

import java.util.List;

/**
 * The changes that secure a database. Immutable and thread-safe.
 *
 * @param guardBefore how the guard stood
 * @param membersAdded the roles that may read and write the database now, and could not before
 * @param adminsAdded the roles that administrate the database now, and did not before
 */
public record SecuringReport(GuardState guardBefore, List<String> membersAdded, List<String> adminsAdded) {
    /**
     * Takes copies.
     *
     * @param guardBefore how the guard stood
     * @param membersAdded roles
     * @param adminsAdded roles
     */
    public SecuringReport {
        membersAdded = List.copyOf(membersAdded);
        adminsAdded = List.copyOf(adminsAdded);
    }

    /** {@return whether the guard was stored, or would be} */
    public boolean isGuardStored() {
        return guardBefore != GuardState.CURRENT;
    }

    /** {@return whether there was nothing to do} */
    public boolean isEmpty() {
        return !isGuardStored() && membersAdded.isEmpty() && adminsAdded.isEmpty();
    }
}
