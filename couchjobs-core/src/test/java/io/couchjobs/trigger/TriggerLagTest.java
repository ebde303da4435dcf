package io.couchjobs.trigger;

import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SourceDatabases;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Limit;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@ServerTest
class TriggerLagTest {
    private JobQueue queue;
    private SourceDatabases sources;
    private CouchDatabase orders;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        sources = new SourceDatabases(database, queue);
        orders = sources.create("orders");
        queue.triggers()
                .put(Trigger.named("mails").source(orders.name()).type("mail").build());
    }

    @AfterEach
    void close() {
        sources.close();
        queue.close();
    }

    private Worker follow() {
        return queue.worker().handler("other", (data, context) -> null).start();
    }

    private TriggerStatus status() {
        return queue.triggers().status("mails");
    }

    @Test
    void nobody_knows_for_how_long_changes_have_been_waiting_before_anybody_followed() throws Exception {
        sources.assumeNotPouchDb("does not tell how many changes wait");
        save(orders, "{'_id':'o1'}");
        TestQueue.until(() -> status().lag() == 1);
        assertThat(status().behind()).isEmpty();
        assertThat(status().perMinute()).isZero();
    }

    @Test
    void changes_for_whose_jobs_there_is_no_room_have_been_waiting_since_they_were_seen() throws Exception {
        sources.assumeNotPouchDb("does not tell how many changes wait");
        queue.types().change("mail", settings -> settings.with(Limit.QUEUED, 1));
        try (Worker worker = follow()) {
            save(orders, "{'_id':'o1'}");
            TestQueue.until(() -> status().jobs() == 1);
            save(orders, "{'_id':'o2'}");
            save(orders, "{'_id':'o3'}");
            TestQueue.until(() -> status().behind()
                    .filter(wait -> wait.compareTo(Duration.ofSeconds(1)) > 0)
                    .isPresent());
            queue.types().change("mail", settings -> settings.with(Limit.QUEUED, 100));
            TestQueue.until(() -> status().jobs() == 3);
            TestQueue.until(
                    () -> status().behind().filter(Duration.ZERO::equals).isPresent());
            assertThat(worker.stats().failed()).isZero();
        }
    }
}
