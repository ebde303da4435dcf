package io.couchjobs.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.Machines;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.JobRequest;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.testing.HandMovedTime;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A list of a cluster's schedules is from one copy, which may be behind. */
@ServerTest
class SchedulerOnClustersTest {
    private final Instant begun = Instant.now().truncatedTo(ChronoUnit.HOURS);
    private final HandMovedTime time = new HandMovedTime("couchjobs-scheduler");
    private Proxy proxy;
    private JobQueue queue;
    private CouchServer server;
    private CouchDatabase other;
    private JobStore store;
    private Scheduler scheduler;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        proxy = Proxy.before(database.server());
        proxy.detour(new PretendedCluster());
        server = Machines.connect(config(proxy.door(database)), time);
        CouchDatabase door = server.database(database.name());
        store = Stores.of(door);
        // It hears of no change: the feed tells of another database.
        other = server.database(database.name() + "-elsewhere");
        other.createIfMissing();
        scheduler = new Scheduler(new QueueParts(
                store,
                new JobIndex(new DesignDocuments(door)),
                new SettingsStore(door, Duration.ofSeconds(60)),
                Feeds.of(other),
                new ServerClock(() -> begun.plusNanos(time.passed()), () -> Duration.ZERO, time::passed)));
    }

    private static CouchConfig config(TestDatabase database) {
        CouchConfig.Builder config = CouchConfig.builder(database.serverUrl());
        database.user()
                .ifPresent(user -> config.auth(
                        new Auth.Basic(user, Secret.of(database.password().orElse("")))));
        return config.build();
    }

    @AfterEach
    void close() {
        scheduler.close();
        other.delete();
        store.close();
        server.close();
        proxy.close();
        queue.close();
    }

    @Test
    void a_schedule_of_which_a_copy_showed_a_later_tick_makes_its_job_in_time() {
        put(Duration.ofDays(30));
        scheduler.start();
        time.pass(Duration.ofSeconds(1));
        put(Duration.ofHours(1));
        time.pass(Duration.ofMinutes(1));
        put(Duration.ofDays(30));
        time.pass(Duration.ofMinutes(1));
        put(Duration.ofHours(1));
        time.pass(Duration.ofMinutes(59));
        assertThat(queue.all("tick").count()).isEqualTo(1);
    }

    private void put(Duration every) {
        queue.schedules()
                .put(Schedule.named("s")
                        .every(every)
                        .from(begun)
                        .job(JobRequest.of("tick", Map.of()))
                        .build());
        ObjectNode document = queue.database().get("schedule:s").orElseThrow();
        queue.database().put(document.put("last", begun.toEpochMilli()));
    }
}
