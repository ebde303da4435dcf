package io.couchjobs.cli.doctor;

import io.couchjobs.JobQueue;

/** Whether jobs are owned while nobody is there who could own them. */
final class OwnerCheck implements Check {
    @Override
    public String name() {
        return "owners";
    }

    @Override
    public Finding look(JobQueue queue) {
        long orphaned = queue.orphaned();
        if (orphaned == 0) {
            return Finding.fine("every owned job belongs to a worker that is registered");
        }
        return Finding.note(
                orphaned + " jobs are owned by workers that are not registered",
                "either a program claimed them by hand and renews its leases itself, or their worker is dead",
                "any running worker takes jobs of the dead back when the timeout of their type is over");
    }
}
