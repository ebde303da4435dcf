package io.couchjobs.simulation;

/** What a node answered to a write. */
record Answer(int status, String body) {
    /** Whether fewer copies than a quorum have taken something. */
    boolean isUnconfirmed() {
        return status == 202 || body.contains("\"accepted\":true");
    }

    /** Whether somebody else was faster. */
    boolean isConflict() {
        return status == 409 || body.contains("\"conflict\"");
    }
}
