package io.couchjobs.dashboard;

import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.TestDatabase;

/** Opens the queues of tests. */
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
}
