package io.couchjobs.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.Jobs;
import io.couchjobs.store.Acceptor;
import io.couchjobs.store.DesignDocuments;
import io.couchjobs.store.Feed;
import io.couchjobs.store.JobIndex;
import io.couchjobs.store.JobStore;
import io.couchjobs.store.SettingsStore;
import io.couchjobs.store.StoreClock;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

@SuppressWarnings({"try", "deprecation"})
class ActivityMonitorTest {
    @Test
    void jobs_of_a_dead_worker_are_recovered_when_the_timeout_is_20_minutes() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                JobQueue queue = JobQueue.builder(URI.create(couch.url() + "jobs"))
                        .defaultTimeout(Duration.ofMinutes(20))
                        .open()) {
            AtomicLong minutes = new AtomicLong();
            StoreClock clock =
                    new StoreClock(InstantSource.system(), () -> Duration.ZERO, () -> Duration.ofMinutes(minutes.get())
                            .toNanos());
            CouchDatabase database = queue.database();
            Acceptor.Parts parts = new Acceptor.Parts(
                    new JobStore(database),
                    new JobIndex(new DesignDocuments(database)),
                    new SettingsStore(database, Duration.ofMinutes(20)),
                    new Feed(database),
                    clock);
            database.put(Jobs.json("{'_id':'worker:dead'}"));
            database.put(Jobs.json("{'_id':'job:email:1','status':'running','attempt':1,"
                    + "'lock':{'token':'t','worker':'dead','since':1}}"));
            try (ActivityMonitor monitor = new ActivityMonitor(parts, "me", id -> false)) {
                monitor.start();
                for (int i = 0; i < 20 && monitor.recovered() == 0; i++) {
                    io.couchjobs.TestQueue.work(1200);
                    minutes.addAndGet(6);
                }
                assertThat(monitor.recovered())
                        .as("recovered after " + minutes + " minutes")
                        .isEqualTo(1);
            }
        }
    }
}
