package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A claim that nobody can go on with: it is confirmed when its lease is over, or the settings of its type are gone. */
@ServerTest
class LateClaimsTest {
    private final AtomicLong paused = new AtomicLong();
    private JobQueue queue;
    private Proxy proxy;
    private JobQueue behindProxy;
    private JobStore store;
    private Feed feed;
    private SettingsStore settings;
    private Finder finder;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        proxy = Proxy.before(database.server());
        behindProxy = TestQueue.open(proxy.door(database));
        store = Stores.of(behindProxy.database());
        feed = Feeds.of(behindProxy.database());
        settings = new SettingsStore(behindProxy.database(), Duration.ofMinutes(1));
        ServerClock clock =
                new ServerClock(InstantSource.system(), () -> Duration.ZERO, () -> System.nanoTime() + paused.get());
        JobIndex index = new JobIndex(new DesignDocuments(behindProxy.database()));
        finder = new Finder(new QueueParts(store, index, settings, feed, clock), "sleepy");
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
    }

    @AfterEach
    void close() {
        proxy.clear();
        finder.close();
        feed.close();
        store.close();
        behindProxy.close();
        proxy.close();
        queue.close();
    }

    @Test
    void makes_no_owner_and_is_given_back() throws Exception {
        Held claim = heldClaim();
        CompletableFuture<List<LeasedJob>> accepted = CompletableFuture.supplyAsync(() -> claim(finder));
        claim.awaitArrival();
        paused.set(TimeUnit.MINUTES.toNanos(2));
        claim.release();
        assertThat(accepted.get(1, TimeUnit.MINUTES)).isEmpty();
        assertThat(waitsAgain(Duration.ofMinutes(1))).isTrue();
    }

    /** After a gap in the feed they have to be read again, which can fail while the answer to the claim is on its way. */
    @Test
    void one_whose_settings_cannot_be_read_any_more_is_given_back() throws Exception {
        Held claim = heldClaim();
        CompletableFuture<List<LeasedJob>> accepted = CompletableFuture.supplyAsync(() -> claim(finder));
        claim.awaitArrival();
        proxy.loseRequests(1_000, request -> request.uri().getPath().endsWith("/type:email"));
        settings.gap();
        claim.release();
        assertThatThrownBy(() -> accepted.get(1, TimeUnit.MINUTES)).hasRootCauseInstanceOf(IOException.class);
        proxy.clear();
        assertThat(waitsAgain(Duration.ofSeconds(30))).isTrue();
    }

    private Held heldClaim() {
        return proxy.holdAnswer(
                request -> request.isBulkWrite() && request.body().contains("\"lock\""));
    }

    private boolean waitsAgain(Duration longest) throws InterruptedException {
        return queue.await("email", "1", Set.of(JobStatus.WAITING), longest).isPresent();
    }

    /** Once: an accept would soon find the job again. */
    private static List<LeasedJob> claim(Finder finder) {
        try {
            return finder.find(AcceptOptions.of("email").timeout(Duration.ZERO))
                    .orElseThrow()
                    .claim();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
