package io.couchjobs.testing;

import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.admin.GarbageCollection;
import io.couchjobs.admin.PretendedUser;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.Job;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Opens queues for tests. */
public final class TestQueue {
    /** Long enough for the slowest machine; no test waits that long when it passes. */
    public static final Duration PATIENCE = Duration.ofMinutes(2);

    /** How long an index may be behind: nothing on one copy, where whoever asks it waits for it. */
    public static final Duration INDEX_LAG = NeedsOneCopy.Condition.SEVERAL_NODES ? PATIENCE : Duration.ZERO;

    private TestQueue() {}

    /** The clock of a process that follows a server's. */
    public static ServerClock clock(InstantSource local, CouchServer server) {
        return new ServerClock(
                local, server::clockSkew, server::clockDoubt, server::info, ServerAccess.environment(server)::nanos);
    }

    public static JobQueue open(TestDatabase database) {
        return builder(database).open();
    }

    public static JobQueueBuilder builder(TestDatabase database) {
        return builder(database, database.url());
    }

    /** A queue whose time of day stands still: no window of a rate ends. */
    public static JobQueue standing(TestDatabase database) {
        Instant now = Instant.now();
        return builder(database).settableClock(() -> now).open();
    }

    /** The same database, reached by another node of its cluster. */
    public static JobQueueBuilder builder(TestDatabase database, URI url) {
        if (isGuarded()) {
            guard(database);
        }
        // Claims by hand stand for owners that die: their leases run out.
        JobQueueBuilder builder = JobQueue.builder(url).renewLeases(false);
        // With 0 the data of all jobs is attached: no test should notice.
        Optional.ofNullable(Integer.getInteger("couchjobs.test.largestInlineData"))
                .ifPresent(builder::largestInlineData);
        database.user()
                .ifPresent(user -> builder.auth(
                        new Auth.Basic(user, Secret.of(database.password().orElse("")))));
        return builder;
    }

    /** Skips a test that stores what cannot be a job: where the guard is, it is refused to everybody. */
    public static void assumeThatAnythingCanBeStored() {
        assumeFalse(isGuarded(), "the guard refuses what cannot be a job");
    }

    /** Skips the rest of a test that replicates, not as an administrator, what the guard takes from nobody else. */
    public static void assumeThatAnyStateMayBeReplicated(boolean wasTaken) {
        assumeTrue(wasTaken || !isGuarded(), "the guard takes jobs in any state from administrators only");
    }

    private static boolean isGuarded() {
        return Boolean.getBoolean("couchjobs.test.guard");
    }

    /** Has the database refuse what neither workers nor producers may do: no test should notice. */
    private static void guard(TestDatabase database) {
        CouchConfig.Builder config = CouchConfig.builder(database.serverUrl());
        database.user()
                .ifPresent(user -> config.auth(
                        new Auth.Basic(user, Secret.of(database.password().orElse("")))));
        try (CouchServer server = CouchServer.connect(config.build())) {
            server.database(database.name()).createIfMissing();
            PretendedUser.everybodyWorks(server.database(database.name()));
        }
    }

    /** A collection that does not leave alone what finished a moment ago: nobody needs to hear of it. */
    public static GarbageCollection gc(JobQueue queue) {
        return queue.operations().gc().keepFinished(Duration.ZERO);
    }

    /** Waits until a job is finished, and returns it. */
    public static Job finished(JobQueue queue, String type, String id) throws InterruptedException {
        return queue.awaitFinished(type, id, PATIENCE)
                .orElseThrow(() -> new AssertionError("job " + type + ":" + id + " did not finish"));
    }

    /** What a handler does that takes its time, and can be interrupted. */
    public static void work(long millis) throws InterruptedException {
        new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    }

    /** Waits for something that no feed tells, without sleeping a fixed time. */
    public static void until(Callable<Boolean> holds) throws Exception {
        until(Duration.ofMillis(5), holds);
    }

    /** The same with longer pauses: each look costs the server time, which a measurement would count. */
    public static void until(Duration pause, Callable<Boolean> holds) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!holds.call()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("did not happen within " + PATIENCE);
            }
            Thread.onSpinWait();
            LockSupport.parkNanos(pause.toNanos());
        }
    }
}
