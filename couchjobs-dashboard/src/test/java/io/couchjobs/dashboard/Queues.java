package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.TestDatabase;

/** The queues of tests, and what is in them. */
final class Queues {
    private Queues() {}

    /** A queue of which nobody renews leases. */
    static JobQueue of(TestDatabase database) {
        JobQueueBuilder builder = JobQueue.builder(database.url()).renewLeases(false);
        database.user()
                .ifPresent(user -> builder.auth(
                        new Auth.Basic(user, Secret.of(database.password().orElse("")))));
        return builder.open();
    }

    /** The position of a trigger with a change that failed; not stored yet. */
    static ObjectNode failed(JobQueue queue, String position, String docId, String rev, String reason) {
        ObjectNode failed = queue.database().get(position).orElseThrow().put("failed", 1);
        failed.putArray("errors")
                .addObject()
                .put("id", docId)
                .put("rev", rev)
                .put("seq", "1")
                .put("at", 7)
                .put("reason", reason);
        return failed;
    }
}
