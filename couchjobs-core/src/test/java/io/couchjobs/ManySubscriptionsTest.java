package io.couchjobs;

import static io.couchjobs.testing.TestQueue.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Subscription;
import io.couchjobs.testing.FeedProxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Ten thousand subscriptions cost one connection, little memory, and little time. */
@ServerTest
@Isolated("measures the heap")
class ManySubscriptionsTest {
    private static final int MANY = 10_000;
    private static final int PAGE = 500;
    private static final long MIB = 1 << 20;

    @Test
    void ten_thousand_subscriptions_share_one_connection_and_less_than_64_mb(TestDatabase database) throws Exception {
        try (FeedProxy proxy = new FeedProxy(database);
                JobQueue queue = proxy.queue().open();
                JobQueue others = TestQueue.open(database)) {
            List<JobId> ids = addMany(others);
            warmUp(queue, others);
            int requests = proxy.requests();
            long before = usedHeap();
            long begun = System.nanoTime();

            Map<JobId, Subscription> all = queue.subscribe(ids);

            Duration took = Duration.ofNanos(System.nanoTime() - begun);
            long used = usedHeap() - before;
            System.out.println(MANY + " subscriptions: " + used / MIB + " MiB, " + took.toMillis() + " ms, "
                    + (proxy.requests() - requests) + " requests");
            assertThat(all).hasSize(MANY);
            assertThat(proxy.requests() - requests).isLessThanOrEqualTo(MANY / PAGE);
            assertThat(used).isLessThan(64 * MIB);
            cancelAndHear(others, all);
            assertThat(proxy.mostFeeds()).isEqualTo(1);
            lookAgain(proxy, others, all);
        }
    }

    /** Until the feed stands and has looked whether the database is still the same. */
    private static void warmUp(JobQueue queue, JobQueue others) throws InterruptedException {
        others.add(JobRequest.builder("email").id("warm").data(Map.of()).build());
        try (Subscription warm = queue.subscribe("email", "warm", "warms up")) {
            others.cancel("email", "warm", CancelMode.IF_QUEUED);
            assertThat(warm.await(PATIENCE)).isPresent();
        }
    }

    private static void cancelAndHear(JobQueue others, Map<JobId, Subscription> all) throws InterruptedException {
        Set<JobId> cancelled = new HashSet<>();
        List<JobId> ids = new ArrayList<>(all.keySet());
        for (int i = 0; i < MANY; i += MANY / 10) {
            others.cancel("email", ids.get(i).id(), CancelMode.IF_QUEUED);
            cancelled.add(ids.get(i));
        }
        while (!cancelled.isEmpty()) {
            JobChange event = others.await(all.values(), PATIENCE).orElseThrow();
            assertThat(event.phase()).isEqualTo(JobPhase.FINISHED);
            assertThat(cancelled.remove(event.id())).isTrue();
        }
    }

    /** After an interruption only revisions are read, and the documents that changed. */
    private static void lookAgain(FeedProxy proxy, JobQueue others, Map<JobId, Subscription> all) throws Exception {
        List<JobId> ids = new ArrayList<>(all.keySet());
        JobId last = ids.get(ids.size() - 1);
        proxy.mode(FeedProxy.Mode.FAIL);
        proxy.cut();
        int requests = proxy.requests();
        others.remove("email", last.id());
        Subscription subscription = java.util.Objects.requireNonNull(all.get(last));
        assertThat(subscription.await(PATIENCE).orElseThrow().phase()).isEqualTo(JobPhase.NOT_FOUND);
        System.out.println("all looked up again by " + (proxy.requests() - requests) + " requests");
    }

    private static List<JobId> addMany(JobQueue queue) {
        List<JobId> ids = new ArrayList<>();
        List<JobRequest> page = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            JobRequest request = JobRequest.builder("email")
                    .id("job-" + i)
                    .data(Map.of("n", i, "text", "x".repeat(1000)))
                    .build();
            page.add(request);
            ids.add(request.id());
            if (page.size() == PAGE) {
                queue.addAll(page);
                page.clear();
            }
        }
        return ids;
    }

    private static long usedHeap() throws InterruptedException {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            TestQueue.work(50);
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
