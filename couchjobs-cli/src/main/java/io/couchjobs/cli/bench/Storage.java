package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.DatabaseInfo;
import java.io.IOException;

/** Measures the bytes that an added, run and finished job leaves in the database's file, without indexes. */
final class Storage {
    private static final int MOST_JOBS = 2_000;

    private final OwnDatabases databases;
    private final Drain drain;
    private final int jobs;

    Storage(OwnDatabases databases, Drain drain, int jobs) {
        this.databases = databases;
        this.drain = drain;
        this.jobs = Math.min(MOST_JOBS, jobs);
    }

    ObjectNode measure() throws IOException, InterruptedException {
        JobQueue queue = databases.queue();
        try {
            DatabaseInfo before = queue.database().info();
            drain.fill(queue, jobs);
            drain.run(queue, 1, jobs);
            DatabaseInfo after = queue.database().info();
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            if (after.activeSize() < 0) {
                return json.putNull("bytes_per_job").put("reason", "the server does not tell how large a database is");
            }
            return json.put("bytes_per_job", Numbers.rounded(perJob(before.activeSize(), after.activeSize())))
                    .put("file_bytes_per_job", Numbers.rounded(perJob(before.fileSize(), after.fileSize())));
        } finally {
            databases.drop(queue);
        }
    }

    private double perJob(long before, long after) {
        return (double) (after - before) / jobs;
    }
}
