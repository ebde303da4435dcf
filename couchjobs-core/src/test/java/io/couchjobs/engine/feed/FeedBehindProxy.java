package io.couchjobs.engine.feed;

import static io.couchjobs.testing.TestQueue.PATIENCE;
import static io.couchjobs.testing.TestQueue.until;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.watch.Watch;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Subscription;
import io.couchjobs.testing.FeedProxy;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A feed that reaches its server by a proxy. */
abstract class FeedBehindProxy {
    static final Duration LONG = Duration.ofMinutes(10);

    static final FeedTiming PATIENT = new FeedTiming(Duration.ofSeconds(10), LONG, LONG);

    FeedProxy proxy;

    JobQueue behind;

    JobQueue direct;

    Feed feed;

    Watch watch;

    final Set<String> heard = ConcurrentHashMap.newKeySet();

    final AtomicInteger gaps = new AtomicInteger();

    @BeforeEach
    void open(TestDatabase database) throws IOException {
        proxy = new FeedProxy(database);
        behind = proxy.queue().open();
        direct = TestQueue.open(database);
    }

    @AfterEach
    void close() {
        if (feed != null) {
            watch.close();
            feed.close();
        }
        behind.close();
        direct.close();
        proxy.close();
    }

    void listen(FeedTiming timing) {
        JobStore store = Stores.of(behind.database());
        feed = Feeds.of(behind.database(), timing);
        watch = new Watch(feed, store);
        feed.listen(new FeedListener() {
            @Override
            public void changed(FeedEvent event) {
                heard.add(event.docId());
            }

            @Override
            public void gap() {
                gaps.incrementAndGet();
            }
        });
    }

    Subscription subscribed(String id) {
        if (feed == null) {
            listen(PATIENT);
        }
        direct.add(JobRequest.builder("email").id(id).data(Map.of()).build());
        return watch.subscriptions().subscribe(new JobId("email", id), this);
    }

    void changeAndHear(String id) throws Exception {
        direct.add(JobRequest.builder("email").id(id).data(Map.of()).build());
        until(() -> heard.contains(new JobId("email", id).docId()));
    }

    static JobChange next(Subscription subscription) throws InterruptedException {
        return subscription.await(PATIENCE).orElseThrow(() -> new AssertionError("no event of " + subscription));
    }

    static void follow(Watch watch, Consumer<JobChange> listener) {
        var unused = watch.follow(JobFilter.all(), listener, () -> {});
    }
}
