package io.couchjobs.engine.feed;

import static io.couchjobs.testing.TestQueue.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.NodeDoor;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A feed that knows several nodes moves when its own is no good, and tells that there may have been a gap. */
@ServerTest
class FeedOverNodesTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    /** Longer than a slow machine needs, and short enough to be waited for: a request that meets the frozen node hangs. */
    private static final Duration RESPONSE = Duration.ofSeconds(10);

    private static final FeedTiming IMPATIENT = new FeedTiming(Duration.ofMillis(300), LONG, LONG);

    private final Set<String> heard = ConcurrentHashMap.newKeySet();
    private final AtomicInteger gaps = new AtomicInteger();

    @Test
    void a_feed_whose_node_freezes_or_dies_goes_on_at_another(TestDatabase database) throws Exception {
        try (NodeDoor one = new NodeDoor(database.serverUrl());
                NodeDoor two = new NodeDoor(database.serverUrl());
                JobQueue direct = TestQueue.open(database);
                CouchServer server = CouchServer.connect(config(database, one, two));
                Feed feed = Feeds.of(server.database(database.name()), IMPATIENT)) {
            feed.listen(new Listener());
            changeAndHear(direct, "before");
            NodeDoor home = one.openConnections() > 0 ? one : two;
            home.freeze();
            changeAndHear(direct, "while it is frozen");
            int gapsThen = gaps.get();
            assertThat(gapsThen).isPositive();
            NodeDoor refuge = home == one ? two : one;
            until(() -> refuge.openConnections() > 0);
            home.thaw();
            refuge.die();
            changeAndHear(direct, "back at the first");
            assertThat(gaps.get()).isGreaterThan(gapsThen);
        }
    }

    private void changeAndHear(JobQueue direct, String id) throws Exception {
        direct.add(JobRequest.builder("email").id(id).data(Map.of()).build());
        until(() -> heard.contains("job:email:" + id));
    }

    private static CouchConfig config(TestDatabase database, NodeDoor one, NodeDoor two) {
        CouchConfig.Builder config =
                CouchConfig.builder(one.url()).node(two.url()).responseTimeout(RESPONSE);
        database.user()
                .ifPresent(user -> config.auth(
                        new Auth.Basic(user, Secret.of(database.password().orElse("")))));
        return config.build();
    }

    private final class Listener implements FeedListener {
        @Override
        public void changed(FeedEvent event) {
            heard.addAll(List.of(event.docId()));
        }

        @Override
        public void gap() {
            gaps.incrementAndGet();
        }
    }
}
