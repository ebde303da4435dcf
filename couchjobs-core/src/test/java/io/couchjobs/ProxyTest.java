package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.Lost;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@ServerTest
class ProxyTest {
    private Proxy proxy;
    private JobQueue queue;
    private JobQueue direct;

    @BeforeEach
    void open(TestDatabase database) {
        direct = TestQueue.open(database);
        proxy = Proxy.before(database.server());
        queue = TestQueue.open(proxy.door(database));
    }

    @AfterEach
    void close() {
        proxy.clear();
        queue.close();
        direct.close();
        proxy.close();
    }

    @Test
    void jobs_are_added_run_and_awaited_through_it() throws Exception {
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> Map.of("was", data))
                .start()) {
            queue.add(job("1"));
            Job job = TestQueue.finished(queue, "email", "1");
            assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(worker.id()).isNotEmpty();
        }
    }

    @Test
    void a_held_request_has_not_reached_the_server_and_a_held_answer_has() throws Exception {
        Held request = proxy.holdRequest(Proxy.Request::isBulkWrite);
        CompletableFuture<Void> adding = CompletableFuture.runAsync(() -> queue.add(job("1")));
        request.awaitArrival();
        assertThat(direct.get("email", "1")).isEmpty();
        Held answer = proxy.holdAnswer(Proxy.Request::isBulkWrite);
        request.release();
        adding.get(30, TimeUnit.SECONDS);
        assertThat(direct.get("email", "1")).isPresent();

        CompletableFuture<Void> again = CompletableFuture.runAsync(() -> queue.add(job("2")));
        answer.awaitArrival();
        assertThat(direct.get("email", "2")).isPresent();
        assertThat(again).isNotDone();
        answer.release();
        again.get(30, TimeUnit.SECONDS);
    }

    @Test
    @NeedsOneCopy("a write whose answer was lost is confirmed by a second one")
    void a_lost_answer_is_of_a_write_that_was_stored_and_a_lost_request_is_not() throws Exception {
        assertThat(isStoredWhenTheClientLooks(proxy.loseAnswers(1, Proxy.Request::isBulkWrite), "1"))
                .isTrue();
        assertThat(isStoredWhenTheClientLooks(proxy.loseRequests(1, Proxy.Request::isBulkWrite), "2"))
                .isFalse();
        assertThat(direct.get("email", "2")).as("sent again").isPresent();
    }

    private boolean isStoredWhenTheClientLooks(Lost fault, String id) throws Exception {
        Held look = proxy.holdRequest(Proxy.Request::isLookup);
        CompletableFuture<Void> adding = CompletableFuture.runAsync(() -> queue.add(job(id)));
        look.awaitArrival();
        assertThat(fault.count()).isEqualTo(1);
        boolean stored = direct.get("email", id).isPresent();
        look.release();
        adding.get(30, TimeUnit.SECONDS);
        return stored;
    }

    @Test
    void a_deaf_feed_tells_nothing_and_stays_open() throws Exception {
        proxy.deafenFeeds();
        CountDownLatch heard = new CountDownLatch(1);
        try (var watching = queue.watch(JobFilter.all(), change -> heard.countDown())) {
            direct.add(job("1"));
            ClaimedJob claim = queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO))
                    .get(0);
            claim.finish();
            assertThat(watching).isNotNull();
            assertThat(heard.getCount()).isEqualTo(1);
        }
    }

    private static JobRequest job(String id) {
        return JobRequest.builder("email").id(id).data(Map.of()).build();
    }
}
