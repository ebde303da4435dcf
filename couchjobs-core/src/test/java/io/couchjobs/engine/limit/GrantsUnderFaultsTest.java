package io.couchjobs.engine.limit;

import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.Stores;
import io.couchjobs.type.Limit;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the limits grant, and how long they let a worker wait, when requests fail or a type is paused. */
class GrantsUnderFaultsTest extends FaultyServer {
    private static final Instant NOON = Instant.parse("2026-11-29T12:00:00Z");

    private final AtomicLong nanos = new AtomicLong();
    private JobStore store;
    private SettingsStore settings;
    private Limits limits;

    @BeforeEach
    void openLimits() {
        store = Stores.of(queue.database());
        settings = new SettingsStore(queue.database(), Duration.ofSeconds(60));
        settings.gap(); // from now on it would hear of changes
        limits = new Limits(
                new QueueParts(
                        store,
                        new JobIndex(new DesignDocuments(queue.database())),
                        settings,
                        Feeds.of(queue.database()),
                        new ServerClock(() -> NOON, () -> Duration.ZERO, nanos::get)),
                "here",
                () -> {});
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    void a_worker_does_not_wake_up_for_the_slots_of_a_type_that_is_paused() {
        queue.types().change("a", present -> present.with(Limit.RUNNING, 1));
        save(queue.database(), "{'_id':'slot:a:t:0','job':'job:a:1','claimOn':'1-x','token':'dead','worker':'dead'}");
        assertThat(limits.isOpen("a")).isFalse();
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        assertThat(limits.pause(List.of("a"))).isLessThan(Duration.ofSeconds(1));

        queue.types().change("a", present -> present.withPaused(true));
        settings.gap();

        assertThat(limits.pause(List.of("a"))).isGreaterThan(Duration.ofMinutes(1));
    }
}
