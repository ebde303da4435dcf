package io.couchjobs.dashboard.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.admin.QueueSecurity;

/** Checks the guard, if one was set up: the guard refuses writes that a user's role does not cover. */
final class GuardCheck extends Check {
    GuardCheck() {
        super("guard");
    }

    @Override
    public Problem look(JobQueue queue) {
        QueueSecurity security = queue.operations().security();
        QueueSecurity.GuardState guard = security.guard();
        if (guard == QueueSecurity.GuardState.OTHER) {
            return problem(
                    "the guard is of another version, or was changed",
                    "it may refuse what this version writes, or let through what it should not",
                    "couchjobs init --secure");
        } else if (guard == QueueSecurity.GuardState.CURRENT && security.isOpen()) {
            return problem(
                    "the database has a guard, but everybody may read it",
                    "anybody who reaches the server sees all jobs, and a user with a role elsewhere may write here",
                    "couchjobs init --secure");
        }
        return fine(
                guard == QueueSecurity.GuardState.CURRENT
                        ? "the database refuses what a user's role does not cover"
                        : "there is no guard: a user who may write may write anything (couchjobs init --secure)");
    }
}
