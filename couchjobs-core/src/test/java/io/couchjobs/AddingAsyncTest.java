package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.Faults;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.AddResult.Outcome;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.NoTypeTimeoutException;
import io.couchjobs.job.QueueFullException;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Limit;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs whose creators do not wait for the database's answer to each. */
class AddingAsyncTest {
    private static final Instant LATER = Instant.parse("2100-01-01T00:00:00Z");

    @Nested
    @ServerTest
    class OnAnyServer {
        private JobQueue queue;
        private TestDatabase database;

        @BeforeEach
        void open(TestDatabase fresh) {
            database = fresh;
            queue = TestQueue.open(database);
        }

        @AfterEach
        void close() {
            queue.close();
        }

        @Test
        void a_job_is_stored_when_its_future_is_completed() {
            AddResult added = queue.addAsync(request("1", Map.of("to", "ada"))).join();
            assertThat(added.outcome()).isEqualTo(Outcome.ADDED);
            Job job = queue.get("email", "1").orElseThrow();
            assertThat(job.data().path("to").asText()).isEqualTo("ada");
            assertThat(job.rev()).isEqualTo(added.job().flatMap(Job::rev));
        }

        @Test
        void many_that_sixteen_threads_add_one_by_one_go_in_few_requests() throws Exception {
            queue.addAsync(request("first", Map.of())).join();
            long before = queue.database().server().requestCount();
            ExecutorService threads = Executors.newFixedThreadPool(16);
            List<CompletableFuture<AddResult>> all = new ArrayList<>();
            try {
                List<Callable<List<CompletableFuture<AddResult>>>> adding = IntStream.range(0, 16)
                        .<Callable<List<CompletableFuture<AddResult>>>>mapToObj(
                                thread -> () -> added(thread + "-", 200))
                        .toList();
                for (Future<List<CompletableFuture<AddResult>>> each : threads.invokeAll(adding)) {
                    all.addAll(each.get());
                }
            } finally {
                threads.shutdownNow();
            }
            assertThat(all)
                    .hasSize(3_200)
                    .allSatisfy(result -> assertThat(result.join().outcome()).isEqualTo(Outcome.ADDED));
            assertThat(queue.database().server().requestCount() - before).isLessThan(320);
            // The copy of the index that is asked may not have all of them yet.
            TestQueue.until(() -> queue.types().pendingCount("email", LATER.plusMillis(1), 10_000) == 3_201);
        }

        @Test
        void several_of_one_job_are_added_in_their_order() {
            List<CompletableFuture<AddResult>> results = IntStream.range(0, 20)
                    .mapToObj(i -> queue.addAsync(JobRequest.builder("email")
                            .id("same")
                            .data(Map.of("n", i))
                            .scheduledTime(LATER.plusSeconds(i % 2))
                            .build()))
                    .toList();
            List<Outcome> outcomes =
                    results.stream().map(result -> result.join().outcome()).toList();
            assertThat(outcomes).containsOnlyOnce(Outcome.ADDED).doesNotContain(Outcome.REJECTED);
            assertThat(outcomes.get(0)).isEqualTo(Outcome.ADDED);
        }

        @Test
        @NeedsOneCopy("the job may be added anew at a copy that has not heard of it yet")
        void an_existing_job_is_treated_as_add_treats_it() {
            queue.add(request("1", Map.of("n", 1)));
            assertThat(queue.addAsync(request("1", Map.of("n", 2))).join().outcome())
                    .isEqualTo(Outcome.UNCHANGED);
            JobRequest sooner = JobRequest.builder("email")
                    .id("1")
                    .data(Map.of("n", 3))
                    .scheduledTime(LATER.minusSeconds(1))
                    .build();
            assertThat(queue.addAsync(sooner).join().outcome()).isEqualTo(Outcome.UPDATED);
            assertThat(queue.data("email", "1").orElseThrow().path("n").asInt()).isEqualTo(3);
        }

        @Test
        void closing_the_queue_waits_for_all_that_was_added() {
            added("", 2_000);
            queue.close();
            try (JobQueue another = TestQueue.open(database)) {
                assertThat(another.types().pendingCount("email", LATER.plusMillis(1), 10_000))
                        .isEqualTo(2_000);
            }
        }

        @Test
        void a_callback_of_a_result_may_add_more_jobs() {
            CompletableFuture<AddResult> last = queue.addAsync(request("0", Map.of()));
            for (int i = 1; i < 50; i++) {
                String next = "" + i;
                last = last.thenCompose(before -> queue.addAsync(request(next, Map.of())));
            }
            assertThat(last.join().outcome()).isEqualTo(Outcome.ADDED);
            assertThat(queue.phase("email", "49")).isEqualTo(JobPhase.PENDING);
        }

        @Test
        void a_job_that_may_not_be_added_is_refused_at_once() {
            queue.types().change("email", settings -> settings.with(Limit.QUEUED, 1));
            queue.add(request("1", Map.of()));
            assertThatThrownBy(() -> queue.addAsync(request("2", Map.of()))).isInstanceOf(QueueFullException.class);
            try (JobQueue strict = TestQueue.builder(database).strict(true).open()) {
                assertThatThrownBy(() -> strict.addAsync(JobRequest.of("unknown", Map.of())))
                        .isInstanceOf(NoTypeTimeoutException.class);
            }
        }

        @Test
        void a_closed_queue_adds_nothing() {
            queue.addAsync(request("1", Map.of())).join();
            queue.close();
            assertThatThrownBy(() -> queue.addAsync(request("2", Map.of())))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("email:2");
        }

        private List<CompletableFuture<AddResult>> added(String prefix, int count) {
            return IntStream.range(0, count)
                    .mapToObj(i -> queue.addAsync(request(prefix + i, Map.of())))
                    .toList();
        }
    }

    @Nested
    @Timeout(60)
    class WithFaults {
        private final EmbeddedCouch couch = EmbeddedCouch.inMemory().port(0).start();
        private final JobQueue queue = JobQueue.builder(
                        couch.url().resolve("/queue").toString())
                .renewLeases(false)
                .open();

        @AfterEach
        void close() {
            couch.faults().clear();
            queue.close();
            couch.close();
        }

        @Test
        void a_thread_that_adds_more_than_the_server_takes_is_held_up_until_the_server_took_it() throws Exception {
            Faults.Held held = heldWrite();
            CompletableFuture<AddResult> first = queue.addAsync(large("1"));
            assertThat(held.awaitArrival(30)).isTrue();
            CompletableFuture<AddResult> second = queue.addAsync(large("2"));

            List<CompletableFuture<AddResult>> third = new ArrayList<>();
            Thread adder = new Thread(() -> third.add(queue.addAsync(large("3"))));
            adder.start();
            TestQueue.until(() -> adder.getState() == Thread.State.WAITING);
            assertThat(List.of(first, second)).noneMatch(CompletableFuture::isDone);
            held.release();
            adder.join();

            assertThat(third.get(0).join().outcome()).isEqualTo(Outcome.ADDED);
            assertThat(first.join().outcome()).isEqualTo(Outcome.ADDED);
            assertThat(second.join().outcome()).isEqualTo(Outcome.ADDED);
        }

        /** The threads that tell of results are those that make room. */
        @Test
        void a_thread_that_tells_of_a_result_is_not_held_up() throws Exception {
            List<CompletableFuture<AddResult>> more = new ArrayList<>();
            Faults.Held held = heldWrite();
            CompletableFuture<Void> first = queue.addAsync(large("1"))
                    .thenAccept(added -> IntStream.range(10, 15).forEach(i -> more.add(queue.addAsync(large("" + i)))));
            assertThat(held.awaitArrival(30)).isTrue();
            held.release();
            first.join();
            assertThat(more)
                    .hasSize(5)
                    .allSatisfy(result -> assertThat(result.join().outcome()).isEqualTo(Outcome.ADDED));
        }

        @Test
        void a_server_that_is_away_makes_the_future_fail() {
            queue.addAsync(request("1", Map.of())).join();
            couch.close();
            CompletableFuture<AddResult> lost = queue.addAsync(request("2", Map.of()));
            assertThatThrownBy(lost::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(CouchUnreachableException.class);
        }

        /** Jobs are answered while it is closed; it must not take one of them for the last. */
        @Test
        void a_queue_that_is_closed_while_answers_arrive_waits_for_the_last_of_them() throws Exception {
            for (int round = 0; round < 10; round++) {
                JobQueue closed = JobQueue.builder(couch.url().resolve("/queue").toString())
                        .renewLeases(false)
                        .open();
                CompletableFuture<?>[] results = IntStream.range(0, 2_000)
                        .mapToObj(i -> closed.addAsync(JobRequest.of("email", Map.of())))
                        .toArray(CompletableFuture<?>[]::new);
                closed.close();
                CompletableFuture.allOf(results).get(30, TimeUnit.SECONDS);
            }
        }

        private Faults.Held heldWrite() {
            return couch.faults().delay(1, request -> request.path().endsWith("/_bulk_docs"));
        }
    }

    private static JobRequest request(String id, Map<String, Object> data) {
        return JobRequest.builder("email")
                .id(id)
                .data(data)
                .scheduledTime(LATER)
                .build();
    }

    /** Two of them are all that may be on their way. */
    private static JobRequest large(String id) {
        return request(id, Map.of("text", "x".repeat(7_900_000)));
    }
}
