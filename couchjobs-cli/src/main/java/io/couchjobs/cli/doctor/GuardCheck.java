package io.couchjobs.cli.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.admin.QueueSecurity;

/** Whether the database refuses writes that a user's role does not cover, if the guard was set up. */
final class GuardCheck implements Check {
    @Override
    public String name() {
        return "guard";
    }

    @Override
    public Finding look(JobQueue queue) {
        QueueSecurity security = queue.operations().security();
        QueueSecurity.GuardState guard = security.guard();
        if (guard == QueueSecurity.GuardState.OTHER) {
            return Finding.problem(
                    "the guard is of another version, or was changed",
                    "it may refuse what this version writes, or let through what it should not",
                    "couchjobs init --secure");
        } else if (guard == QueueSecurity.GuardState.CURRENT && security.isOpen()) {
            return Finding.problem(
                    "the database has a guard, but everybody may read it",
                    "anybody who reaches the server sees all jobs, and a user with a role elsewhere may write here",
                    "couchjobs init --secure");
        }
        return Finding.fine(
                guard == QueueSecurity.GuardState.CURRENT
                        ? "the database refuses what a user's role does not cover"
                        : "there is no guard: a user who may write may write anything (couchjobs init --secure)");
    }
}
