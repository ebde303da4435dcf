package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.store.AcceptOptions;
import io.couchjobs.store.Acceptor;
import io.couchjobs.store.ClaimedJob;
import io.couchjobs.store.DesignDocuments;
import io.couchjobs.store.Feed;
import io.couchjobs.store.JobIndex;
import io.couchjobs.store.JobStore;
import io.couchjobs.store.SettingsStore;
import io.couchjobs.store.StoreClock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A claim that is confirmed when its lease is over: the process was stopped, or the answer took that long. */
@ServerTest
class LateClaimsTest {
    private final AtomicLong paused = new AtomicLong();

    @Test
    void makes_no_owner_and_is_given_back(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database);
                Proxy proxy = Proxy.before(database.server());
                JobQueue slow = TestQueue.open(proxy.door(database))) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            JobStore store = new JobStore(slow.database());
            Feed feed = new Feed(slow.database());
            Acceptor acceptor = new Acceptor(parts(slow, store, feed), "sleepy");
            Held claim = proxy.holdAnswer(
                    request -> request.isBulkWrite() && request.body().contains("\"lock\""));
            CompletableFuture<List<ClaimedJob>> accepted = CompletableFuture.supplyAsync(() -> accept(acceptor));
            claim.awaitArrival();
            paused.set(TimeUnit.MINUTES.toNanos(2));
            claim.release();
            assertThat(accepted.get(1, TimeUnit.MINUTES)).isEmpty();
            assertThat(queue.await("email", "1", Set.of(JobStatus.WAITING), Duration.ofMinutes(1)))
                    .isPresent();
            acceptor.close();
            feed.close();
            store.close();
        }
    }

    private Acceptor.Parts parts(JobQueue queue, JobStore store, Feed feed) {
        SettingsStore settings = new SettingsStore(queue.database(), Duration.ofMinutes(1));
        StoreClock clock =
                new StoreClock(InstantSource.system(), () -> Duration.ZERO, () -> System.nanoTime() + paused.get());
        return new Acceptor.Parts(store, new JobIndex(new DesignDocuments(queue.database())), settings, feed, clock);
    }

    private static List<ClaimedJob> accept(Acceptor acceptor) {
        try {
            return acceptor.accept(AcceptOptions.of("email").timeout(Duration.ZERO));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
