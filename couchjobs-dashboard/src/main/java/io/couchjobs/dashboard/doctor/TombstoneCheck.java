package io.couchjobs.dashboard.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.couch.DatabaseInfo;

/** Checks whether tombstones far outnumber the documents. */
final class TombstoneCheck extends Check {
    private static final long MANY = 10_000;
    private static final long TIMES = 3;

    TombstoneCheck() {
        super("tombstones");
    }

    @Override
    public Problem look(JobQueue queue) {
        DatabaseInfo info = queue.database().info();
        String what = info.docCount() + " documents, " + info.deletedDocCount() + " tombstones";
        boolean tooMany = info.deletedDocCount() > MANY && info.deletedDocCount() > TIMES * info.docCount();
        return tooMany
                ? note(
                        what,
                        "the database is larger and its indexes are built more slowly than need be",
                        "couchjobs gc, every night")
                : fine(what);
    }
}
