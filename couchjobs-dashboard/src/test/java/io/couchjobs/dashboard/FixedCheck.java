package io.couchjobs.dashboard;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.dashboard.doctor.Check;

/** A check that finds what it was told to find; at first that all is well. */
final class FixedCheck extends Check {
    private volatile Problem found = fine("all is well");

    FixedCheck(String name) {
        super(name);
    }

    void finds(Problem.Level level, String finding) {
        found = new Problem(name(), level, finding, finding, finding);
    }

    @Override
    public Problem look(JobQueue queue) {
        return found;
    }
}
