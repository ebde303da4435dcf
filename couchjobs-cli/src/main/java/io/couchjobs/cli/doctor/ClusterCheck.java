package io.couchjobs.cli.doctor;

import io.couchjobs.JobQueue;

/** How many copies there are of each document. */
final class ClusterCheck implements Check {
    @Override
    public String name() {
        return "copies";
    }

    @Override
    public Finding look(JobQueue queue) {
        int copies = queue.database().info().copies();
        if (copies == 1) {
            return Finding.fine("one copy of each document");
        }
        if (copies == 2) {
            return Finding.problem(
                    "two copies of each document (n=2)",
                    "a write is confirmed by both: with either node away no job is claimed or finished",
                    "use three nodes with n=3, and create the database anew there");
        }
        return Finding.fine(copies + " copies of each document; a write is confirmed by " + (copies / 2 + 1)
                + ", provided that nobody passes w");
    }
}
