package io.couchjobs.chaos;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.type.RetryPolicy;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Sets up the queue before a chaos run and reads the database afterwards, through connections without faults. Not thread-safe. */
final class Observer implements AutoCloseable {
    static final Duration LEASE = Duration.ofSeconds(3);
    /** The type of the jobs whose owners follow triggers. These jobs never end. */
    private static final String FOLLOWERS = "couchjobs-trigger";

    private static final RetryPolicy RETRIES =
            new RetryPolicy(3, Duration.ofMillis(400), Duration.ofSeconds(2)).withJitter(0.2);
    /** The maximum time without progress while jobs are left. */
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);
    /** The same while only conflicts are left. Workers look every five minutes for conflicts that no feed has reported. */
    private static final long PATIENCE_WITH_CONFLICTS_NANOS = TimeUnit.MINUTES.toNanos(7);

    /** The maximum time in total, even with progress. */
    private static final long MOST_PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(40);

    /** The number of tries to synchronize copies, because a node may need a while after the last fault. */
    private static final int MOST_TRIES = 100;

    private final JobQueue queue;

    /** Opens the queue through any of these nodes, as soon as it answers. */
    Observer(List<URI> databases) throws InterruptedException {
        this.queue = open(databases);
        for (Kind kind : Kind.values()) {
            RetryPolicy policy = RETRIES.withMaxRetries(kind.retries());
            queue.types().change(kind.type(), type -> type.withTimeout(LEASE).withRetryPolicy(policy));
        }
        queue.types().change(FOLLOWERS, type -> type.withTimeout(LEASE));
    }

    private static JobQueue open(List<URI> databases) throws InterruptedException {
        long giveUp = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        while (true) {
            try {
                return Surroundings.builder(databases).open();
            } catch (CouchException notYet) {
                if (System.nanoTime() > giveUp) {
                    throw notYet;
                }
                Surroundings.pass(200);
            }
        }
    }

    /** Secures the database, which then refuses requests that a user's role does not cover. */
    Accounts secure() {
        queue.operations().security().secure();
        return new Accounts.OfOneRun(queue);
    }

    /** {@return the numbers of jobs, by type and status} */
    Map<String, Map<JobStatus, Long>> counts() {
        Map<String, Map<JobStatus, Long>> counts = new TreeMap<>();
        queue.types().counts().forEach((type, counted) -> counts.put(type, counted.byStatus()));
        counts.remove(FOLLOWERS);
        return counts;
    }

    /** Makes a cluster refill the copies of a node that lost its data; see {@link Copies}. */
    void synchronizeCopies(URI node) throws InterruptedException {
        for (String source : queue.database().server().databases(Saver.prefix(queue))) {
            for (int tries = 0; !Copies.synchronize(node, source); tries++) {
                if (tries == MOST_TRIES) {
                    throw new IllegalStateException("the copies of " + source + " cannot be synchronized");
                }
                Surroundings.pass(500);
            }
        }
    }

    /** Waits until all jobs have ended and no conflict is left, or until there is no progress any more. */
    void awaitQuiet() throws InterruptedException {
        long began = System.nanoTime();
        long moved = began;
        String before = "";
        long patience = PATIENCE_NANOS;
        while (System.nanoTime() - moved < patience && System.nanoTime() - began < MOST_PATIENCE_NANOS) {
            Surroundings.pass(500);
            try {
                String now = counts().toString();
                boolean isEnded = isAllFinished();
                patience = isEnded ? PATIENCE_WITH_CONFLICTS_NANOS : PATIENCE_NANOS;
                if (!now.equals(before)) {
                    moved = System.nanoTime();
                    before = now;
                } else if (isEnded && lag() == 0 && conflicts() == 0) {
                    return;
                }
            } catch (CouchException notYet) {
                before = "";
            }
        }
    }

    /** Returns the number of changes that have no job yet. */
    private long lag() {
        return queue.triggers().list().stream()
                .mapToLong(trigger -> queue.triggers().status(trigger.name()).lag())
                .sum();
    }

    private boolean isAllFinished() {
        return counts().values().stream()
                .flatMap(counts -> counts.entrySet().stream())
                .allMatch(count -> count.getValue() == 0 || count.getKey().phase() == JobPhase.FINISHED);
    }

    private long conflicts() {
        return documents().stream()
                .filter(document -> !document.path("_conflicts").isEmpty())
                .count();
    }

    Ending ending() {
        boolean isCluster = queue.database().info().copies() > 1;
        return new Ending(documents(), counts(), changed(), isCluster);
    }

    private List<Ending.Changed> changed() {
        ViewQuery all = ViewQuery.allDocs().includeDocs(true).conflicts(true);
        CouchServer server = queue.database().server();
        return server.databases(Saver.prefix(queue)).stream()
                .flatMap(source -> server.database(source).view(all).rows().stream())
                .map(ViewResult.Row::doc)
                .filter(document -> document != null)
                .map(Observer::changed)
                .filter(document -> Editor.isOfOne(document.id()))
                .toList();
    }

    private static Ending.Changed changed(ObjectNode document) {
        List<String> others = new ArrayList<>();
        document.path("_conflicts").forEach(rev -> others.add(rev.asText()));
        return new Ending.Changed(
                document.path("_id").asText(),
                document.path("_rev").asText(),
                List.copyOf(others),
                document.path(Editor.BY).asText());
    }

    private List<ObjectNode> documents() {
        ViewQuery all = ViewQuery.allDocs().includeDocs(true).conflicts(true);
        return queue.database().view(all).rows().stream()
                .map(ViewResult.Row::doc)
                .filter(document -> document != null)
                .filter(document -> !document.path("_id").asText().startsWith("job:" + FOLLOWERS))
                .toList();
    }

    void deleteDatabase() {
        queue.database()
                .server()
                .databases(Saver.prefix(queue))
                .forEach(source -> queue.database().server().database(source).delete());
        queue.database().delete();
    }

    @Override
    public void close() {
        queue.close();
    }
}
