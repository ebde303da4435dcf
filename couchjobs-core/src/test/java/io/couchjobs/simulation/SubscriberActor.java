package io.couchjobs.simulation;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.Subscription;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Follows jobs until they end, and writes down what it is told. */
final class SubscriberActor {
    private static final long LOOK = TimeUnit.SECONDS.toNanos(1);

    private final Client client;
    private final Journal journal;
    /** Those who wait still, by job. */
    private final Map<String, JobId> waiting = new TreeMap<>();

    private boolean listens;

    SubscriberActor(Client client, Journal journal) {
        this.client = client;
        this.journal = journal;
    }

    /** Begins to hear of changes: who subscribes later must not wait for that under a lock. */
    void start() {
        client.process().play("subscriber", () -> {
            while (!listens) {
                try {
                    client.parts().feed().listen(event -> {});
                    listens = true;
                } catch (CouchJobsException away) {
                    client.process().pause(Duration.ofSeconds(1));
                }
            }
        });
    }

    /** Some begin late. */
    void follow(JobId id) {
        client.process().play("subscriber", () -> {
            while (!listens) {
                client.process().pause(Duration.ofMillis(100));
            }
            client.process().pause(Duration.ofMillis(client.process().random().nextInt(2) * 300L));
            subscribe(id);
        });
    }

    private void subscribe(JobId id) {
        waiting.put(id.toString(), id);
        while (true) {
            try {
                Subscription subscription = client.subscriptions().subscribe(id, this);
                if (subscription.phase() == JobPhase.FINISHED) {
                    told(new JobChange(id, JobPhase.FINISHED, subscription.job().orElseThrow()));
                } else {
                    look(subscription);
                }
                return;
            } catch (CouchJobsException away) {
                // or not found: the node may not have heard of the job
                client.process().pause(Duration.ofSeconds(1));
            }
        }
    }

    private void told(JobChange end) {
        waiting.remove(end.id().toString());
        journal.told(client.process().toString(), end);
    }

    private void look(Subscription subscription) {
        if (client.process().isDead()) {
            return;
        }
        Optional<JobChange> event = next(subscription);
        while (event.isPresent()) {
            if (event.get().phase() == JobPhase.FINISHED || event.get().phase() == JobPhase.NOT_FOUND) {
                told(event.get());
                return;
            }
            event = next(subscription);
        }
        client.process().after(LOOK, () -> look(subscription));
    }

    private static Optional<JobChange> next(Subscription subscription) {
        try {
            return subscription.await(Duration.ZERO);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The world is about to end. */
    void noteWhoWaits() {
        waiting.values().forEach(id -> journal.waitsInVain(client.process().toString(), id));
    }
}
