package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.ThreadShortage;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.Faults;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.AddResult.Outcome;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobState;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process that can start no more threads for a while, as under a container's limit, goes on when it can again. */
class ThreadShortageTest {
    private final EmbeddedCouch couch = EmbeddedCouch.inMemory().port(0).start();
    private final ThreadShortage threads = new ThreadShortage();
    private final JobQueue queue = new JobQueue(
            threads.connect(CouchConfig.builder(couch.url()).build()).database("queue"),
            JobQueue.builder(couch.url().resolve("/queue")));

    @BeforeEach
    void init() {
        queue.init();
    }

    @AfterEach
    void close() throws Exception {
        threads.end();
        couch.faults().clear();
        inTime(() -> {
            queue.close();
            return true;
        });
        couch.close();
    }

    @Test
    void a_write_that_no_thread_could_send_fails_and_the_next_one_is_sent() throws Exception {
        threads.begin("couchjobs-writer");
        assertThatThrownBy(() -> queue.add(request("1"))).hasMessageContaining("native thread");
        threads.end();
        assertThat(inTime(() -> queue.add(request("2"))).outcome()).isEqualTo(Outcome.ADDED);
        assertThat(queue.state("email", "1")).as("nobody was told of it").isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void many_writes_for_which_no_second_thread_can_be_started_are_sent_by_the_first() throws Exception {
        Faults.Held held = heldWrite();
        CompletableFuture<AddResult> first = queue.addAsync(request("first"));
        assertThat(held.awaitArrival(30)).isTrue();
        threads.begin("couchjobs-writer");
        List<CompletableFuture<AddResult>> others = IntStream.range(0, 150)
                .mapToObj(i -> queue.addAsync(request("" + i)))
                .toList();
        held.release();
        assertThat(first.get(30, TimeUnit.SECONDS).outcome()).isEqualTo(Outcome.ADDED);
        for (CompletableFuture<AddResult> other : others) {
            assertThat(other.get(30, TimeUnit.SECONDS).outcome()).isEqualTo(Outcome.ADDED);
        }
        threads.end();
        assertThat(inTime(() -> queue.add(request("last"))).outcome()).isEqualTo(Outcome.ADDED);
    }

    @Test
    void a_job_whose_outcome_no_thread_could_tell_fails_and_may_be_added_again() throws Exception {
        threads.begin("couchjobs-adder");
        CompletableFuture<AddResult> untold = queue.addAsync(request("1"));
        assertThatThrownBy(() -> untold.get(30, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(CouchJobsException.class)
                .hasMessageContaining("email:1")
                .hasRootCauseMessage("unable to create native thread");
        threads.end();
        assertThat(queue.addAsync(request("1")).get(30, TimeUnit.SECONDS).outcome())
                .isEqualTo(Outcome.UNCHANGED);
    }

    @Test
    void what_one_thread_is_left_to_tell_is_told_by_it() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Void> first = queue.addAsync(request("1")).thenAccept(added -> {
            told.countDown();
            awaited(goOn);
        });
        assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
        threads.begin("couchjobs-adder");
        CompletableFuture<AddResult> second = queue.addAsync(request("2"));
        TestQueue.until(() -> threads.refused() > 0);
        goOn.countDown();
        assertThat(second.get(30, TimeUnit.SECONDS).outcome()).isEqualTo(Outcome.ADDED);
        first.get(30, TimeUnit.SECONDS);
    }

    @Test
    void a_worker_with_two_slots_claims_again() throws Exception {
        List.of("1", "2", "3").forEach(id -> queue.add(due(id)));
        threads.begin("couchjobs-claims");
        try (Worker worker = queue.worker()
                .concurrency(2)
                .handler("email", (data, context) -> Map.of())
                .start()) {
            TestQueue.until(() -> threads.refused() >= 2);
            assertThat(worker.stats().running()).isZero();
            threads.end();
            for (String id : List.of("1", "2", "3")) {
                TestQueue.finished(queue, "email", id);
            }
        }
    }

    private Faults.Held heldWrite() {
        return couch.faults().delay(1, request -> request.path().endsWith("/_bulk_docs"));
    }

    private static void awaited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What would wait for ever fails here. */
    private static <T> T inTime(Callable<T> call) throws Exception {
        CompletableFuture<T> outcome = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                outcome.complete(call.call());
            } catch (Exception | Error e) {
                outcome.completeExceptionally(e);
            }
        });
        caller.setDaemon(true);
        caller.start();
        return outcome.get(30, TimeUnit.SECONDS);
    }

    private static JobRequest request(String id) {
        return JobRequest.builder("email")
                .id(id)
                .data(Map.of())
                .scheduledTime(Instant.parse("2100-01-01T00:00:00Z"))
                .build();
    }

    private static JobRequest due(String id) {
        return JobRequest.builder("email").id(id).data(Map.of()).build();
    }
}
