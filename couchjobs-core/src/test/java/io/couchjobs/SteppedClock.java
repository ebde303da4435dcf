package io.couchjobs;

import io.couchjobs.couch.Machines;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Site;
import io.couchjobs.testing.ForwardingEnvironment;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** The clock of some queues, which stands still but for what a test lets pass. Thread-safe. */
final class SteppedClock extends ForwardingEnvironment {
    private final Instant begun = Instant.now();
    private final AtomicLong nanos = new AtomicLong();

    /** Two readings differ, as those of a machine do. */
    @Override
    public long nanos() {
        return nanos.incrementAndGet();
    }

    /** It goes with the monotonic clock: a time of day that went on alone would mean that the machine was suspended. */
    @Override
    public Instant instant() {
        return begun.plusNanos(nanos.get());
    }

    void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    JobQueue open(TestDatabase database, JobQueueBuilder options) {
        CouchConfig.Builder config = CouchConfig.builder(database.serverUrl());
        database.user()
                .ifPresent(user -> config.auth(
                        new Auth.Basic(user, Secret.of(database.password().orElse("")))));
        JobQueue queue =
                new JobQueue(Machines.connect(config.build(), this).database(database.name()), options, Site.UNNAMED);
        queue.operations().init();
        return queue;
    }
}
