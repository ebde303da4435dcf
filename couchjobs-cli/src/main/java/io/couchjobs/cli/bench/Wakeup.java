package io.couchjobs.cli.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.job.JobRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Measures the time from an add here to the start of the handler in another, idle process. For comparison, measures before each
 * job the time of a raw write, and the time until a raw feed reports that write. All times are of this process's clock.
 */
final class Wakeup {
    private static final long PATIENCE_SECONDS = 60;
    private static final Duration LOOK = Duration.ofSeconds(1);
    /** The time in which the worker writes the end of the last job and becomes idle again. */
    private static final long REST_MS = 20;

    private final OwnDatabases databases;
    private final Payload payload;
    private final Crew crew;
    private final Plan plan;
    private final Steps steps;
    private final Samples writes = new Samples();
    private final Samples notifications = new Samples();
    private final Samples wakeups = new Samples();

    Wakeup(OwnDatabases databases, Payload payload, Crew crew, Plan plan, Steps steps) {
        this.databases = databases;
        this.payload = payload;
        this.crew = crew;
        this.plan = plan;
        this.steps = steps;
    }

    /** The time at which this process learned of a start or a change. */
    private record Heard(String id, long nanos) {}

    Samples writes() {
        return writes;
    }

    Samples notifications() {
        return notifications;
    }

    ObjectNode measure() throws IOException, InterruptedException {
        JobQueue queue = databases.queue();
        CouchDatabase database = databases.create();
        BlockingQueue<Heard> starts = new LinkedBlockingQueue<>();
        BlockingQueue<Heard> changes = new LinkedBlockingQueue<>();
        Crew.Shift shift = crew.start(queue.database().name(), 1, 1, 1, true);
        shift.children().get(0).onStarted((id, nanos) -> starts.add(new Heard(id, nanos)));
        try (ChangesFeed feed = database.changes(ChangesRequest.continuous().since(ChangesRequest.NOW))) {
            follow(feed, changes);
            Thread.sleep(plan.settling().toMillis());
            int samples = plan.samples() * plan.rounds();
            for (int i = -Math.min(10, plan.samples()); i < samples; i++) {
                raw(database, changes, i >= 0);
                product(queue, starts, i >= 0);
                steps.detail(Math.max(0, i + 1) + " of " + samples + " jobs");
                Thread.sleep(REST_MS);
            }
        } finally {
            shift.stop();
            databases.drop(queue);
            databases.drop(database.name());
        }
        return json();
    }

    private void raw(CouchDatabase database, BlockingQueue<Heard> changes, boolean counts)
            throws IOException, InterruptedException {
        ObjectNode document = payload.document();
        long started = System.nanoTime();
        database.put(document);
        long written = System.nanoTime();
        Heard change = await(changes, document.path("_id").asText());
        if (counts) {
            writes.add(Time.millis(written - started));
            notifications.add(Math.max(0, Time.millis(change.nanos() - written)));
        }
    }

    private void product(JobQueue queue, BlockingQueue<Heard> starts, boolean counts)
            throws IOException, InterruptedException {
        JobRequest job = payload.job();
        long started = System.nanoTime();
        String id = queue.add(job).id().id();
        Heard start = await(starts, id);
        if (counts) {
            wakeups.add(Time.millis(start.nanos() - started));
        }
    }

    private ObjectNode json() {
        double limit = 2 * writes.median() + notifications.median();
        return JsonNodeFactory.instance
                .objectNode()
                .put("ms_p50", Numbers.rounded(wakeups.median()))
                .put("ms_p99", Numbers.rounded(wakeups.percentile(99)))
                .put("of_limit", Numbers.rounded(wakeups.median() / limit))
                .put("p99_of_limit", Numbers.rounded(wakeups.percentile(99) / limit));
    }

    private static void follow(ChangesFeed feed, BlockingQueue<Heard> changes) {
        Thread follower = new Thread(
                () -> {
                    try {
                        while (!feed.isEnded()) {
                            Optional<Change> change = feed.next(LOOK);
                            change.ifPresent(row -> changes.add(new Heard(row.id(), System.nanoTime())));
                        }
                    } catch (CouchException closed) {
                        // the thread that waits for a change notices this by its timeout
                    }
                },
                "raw-feed");
        follower.setDaemon(true);
        follower.start();
    }

    private static Heard await(BlockingQueue<Heard> heard, String id) throws IOException, InterruptedException {
        while (true) {
            Heard next = heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new IOException("nothing was heard of " + id + " for " + PATIENCE_SECONDS + " s");
            } else if (next.id().equals(id)) {
                return next;
            }
        }
    }
}
