package io.couchjobs.engine.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.Machines;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.engine.store.Copies;
import io.couchjobs.engine.store.DatabaseIdentity;
import io.couchjobs.testing.ForwardingEnvironment;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long a feed without documents waits between its readings. Nothing is read here, and no pause takes time. */
class FeedPausesTest {
    private static final FeedPace.Limits LIMITS =
            new FeedPace.Limits(1, 0, Duration.ofHours(1).toNanos());

    private final List<Duration> made = new ArrayList<>();
    private final CouchServer server = Machines.connect(
            CouchConfig.builder(URI.create("http://127.0.0.1:1")).build(), new ForwardingEnvironment() {
                @Override
                public void pause(Duration duration) {
                    made.add(duration);
                }
            });
    private final FeedPace pace = new FeedPace(LIMITS, 0);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void a_lone_worker_whom_no_row_concerns_reads_ten_times_a_second() {
        rows(false);
        pause(Duration.ofMillis(20));
        assertThat(made).containsExactly(Duration.ofMillis(100));
    }

    @Test
    void one_whom_a_row_concerns_waits_as_long_as_it_can() {
        rows(true);
        pause(Duration.ofMillis(20));
        assertThat(made).containsExactly(Duration.ofMillis(20));
    }

    @Test
    void a_fleet_whom_no_row_concerns_waits_five_times_as_long_as_it_can_and_looks_together() {
        rows(false);
        pause(Duration.ofMillis(200));
        assertThat(made).hasSize(1);
        assertThat(made.get(0)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
    }

    /** Twenty rows came; one of them may concern somebody. */
    private void rows(boolean concernsSomebody) {
        for (int row = 0; row < 20; row++) {
            pace.saw(concernsSomebody && row == 0, true);
        }
        assertThat(pace.wantsSwitch(1, Duration.ofMillis(20))).isTrue();
        pace.switchOver(1);
    }

    private void pause(Duration patience) {
        Audience audience = new Audience(List.of(new FeedListener() {
            @Override
            public void changed(FeedEvent event) {}

            @Override
            public Duration patience() {
                return patience;
            }

            @Override
            public boolean needsEach() {
                return false;
            }
        }));
        CouchDatabase database = server.database("queue");
        FeedPosition position = new FeedPosition(database, new DatabaseIdentity(), new Copies(database), audience);
        assertThat(new FeedPauses(database, audience, position, pace).make()).isTrue();
    }
}
