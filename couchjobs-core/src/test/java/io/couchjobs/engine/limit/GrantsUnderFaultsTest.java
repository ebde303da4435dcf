package io.couchjobs.engine.limit;

import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.embedded.Faults;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.Stores;
import io.couchjobs.type.Limit;
import io.couchjobs.type.Rate;
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
    private static final Rate ONE_AN_HOUR = new Rate(1, Duration.ofHours(1));

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
    void starts_of_one_type_are_not_lost_when_those_of_another_cannot_be_reserved() {
        for (String type : List.of("a", "b")) {
            queue.types().change(type, present -> present.withRate(ONE_AN_HOUR));
            add(type, "1");
        }
        List<Candidate> both = List.of(candidate("a"), candidate("b"));
        couch.faults().answer(Integer.MAX_VALUE, request -> isOf("rate", "b", request), 500);
        assertThatThrownBy(() -> limits.grant(both)).isInstanceOf(RuntimeException.class);

        couch.faults().clear();
        assertThat(limits.grant(both)).hasSize(2);
    }

    @Test
    void slots_and_starts_are_not_lost_when_settings_cannot_be_read_again_after_a_gap() {
        queue.types().change("a", present -> present.withRate(ONE_AN_HOUR).with(Limit.RUNNING, 1));
        queue.types().change("b", present -> present.withRate(ONE_AN_HOUR));
        add("a", "1");
        add("b", "1");
        List<Candidate> both = List.of(candidate("a"), candidate("b"));
        assertThat(limits.isOpen("a")).isTrue();
        assertThat(settings.get("b").rate()).contains(ONE_AN_HOUR);
        couch.faults().answer(Integer.MAX_VALUE, request -> isOf("rate", "b", request) && isForgetting(), 500);
        couch.faults().answer(Integer.MAX_VALUE, request -> isOf("type", "b", request), 500);
        assertThatThrownBy(() -> limits.grant(both)).isInstanceOf(RuntimeException.class);

        couch.faults().clear();
        assertThat(limits.grant(both)).hasSize(2);
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

    /** Lets the settings be read again. False. */
    private boolean isForgetting() {
        settings.gap();
        return false;
    }

    private static boolean isOf(String kind, String type, Faults.Request request) {
        return request.path().matches(".*/" + kind + "(:|%3A)" + type);
    }

    private Candidate candidate(String type) {
        Job job = store.read(new JobId(type, "1")).orElseThrow();
        return new Candidate(job, type + "-token");
    }
}
