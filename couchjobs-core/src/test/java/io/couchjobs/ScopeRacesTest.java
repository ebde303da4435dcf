package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.scope.QueueScopeHost;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.scope.Ending;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeConfig;
import io.couchjobs.scope.ScopeService;
import io.couchjobs.scope.Scopes;
import io.couchjobs.scope.Submission;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.Lost;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.ProxiedQueue;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Scopes that several processes start, stop, serve and submit to at the same time. */
@ServerTest
class ScopeRacesTest extends ProxiedQueue {
    private static final Scope ONE = Scope.of("index", 1);

    private final BlockingQueue<Ending> endings = new LinkedBlockingQueue<>();

    @Test
    void a_job_that_is_stored_after_its_scope_was_stopped_is_withdrawn() throws Exception {
        others.scopes().start(ONE);
        Held write = proxy.holdRequest(ScopeRacesTest::isOurWrite);
        CompletableFuture<Submission> submit = submitSoon();
        write.awaitArrival();
        assertThat(others.scopes().stop(ONE, Duration.ZERO)).isTrue();
        write.release();
        assertThat(outcome(submit).answer(ONE)).isEqualTo(Submission.Answer.SCOPE_SHUTDOWN);
        assertThat(others.scopes().find(ONE, "raced")).isEmpty();
        assertThat(queue.scopes().stats(ONE)).isEqualTo(new Scopes.Stats(0, 1, 0, 0, 0, 0, 0, 0));
        others.scopes().start(ONE);
        queue.scopes().submit(ONE, job("next"), endings::add);
        others.scopes().cancel(ONE, "next", false);
        assertThat(ending().id()).isEqualTo("next");
    }

    @Test
    void the_removal_of_a_former_job_is_no_ending_of_the_one_that_is_being_stored() throws Exception {
        others.scopes().start(ONE);
        Held write = proxy.holdRequest(ScopeRacesTest::isOurWrite);
        CompletableFuture<Submission> submit = submitSoon();
        write.awaitArrival();
        others.add(left("raced"));
        others.remove(ONE.jobType(), "raced");
        assertThat(endings.poll(1, TimeUnit.SECONDS)).isNull();
        write.release();
        assertThat(outcome(submit).answer(ONE)).isEqualTo(Submission.Answer.OK);
        others.scopes().cancel(ONE, "raced", false);
        assertThat(ending().outcome()).isEqualTo(Ending.Outcome.CANCELLED);
        assertThat(endings).isEmpty();
    }

    @Test
    void a_job_that_a_stop_found_first_was_taken_and_has_one_ending() throws Exception {
        others.scopes().start(ONE);
        Held written = proxy.holdAnswer(ScopeRacesTest::isOurWrite);
        CompletableFuture<Submission> submit = submitSoon();
        written.awaitArrival();
        assertThat(others.scopes().stop(ONE, Duration.ZERO)).isTrue();
        written.release();
        assertThat(outcome(submit).answer(ONE)).isEqualTo(Submission.Answer.OK);
        Ending ending = ending();
        assertThat(ending.outcome()).isEqualTo(Ending.Outcome.CANCELLED);
        assertThat(ending.reason().orElseThrow()).startsWith("SCOPE_SHUTDOWN");
        assertThat(queue.scopes().stats(ONE)).isEqualTo(new Scopes.Stats(1, 0, 0, 0, 0, 0, 0, 1));
        assertThat(endings).isEmpty();
    }

    @Test
    void a_job_that_a_dead_submitter_left_in_a_stopped_scope_is_cancelled_by_a_host_that_serves_its_type()
            throws Exception {
        queue.scopes().start(ONE);
        queue.scopes().stop(ONE, Duration.ZERO);
        queue.add(left("before"));
        others.scopes().serve(service(id -> {}));
        assertThat(TestQueue.finished(queue, ONE.jobType(), "before").status()).isEqualTo(JobStatus.CANCELLED);
        queue.add(left("after"));
        assertThat(TestQueue.finished(queue, ONE.jobType(), "after").status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void a_stopped_scope_that_a_list_of_an_old_copy_shows_as_running_is_not_served() throws Exception {
        others.scopes().start(ONE);
        others.scopes().stop(ONE, Duration.ZERO);
        others.add(left("late"));
        firstListOfScopes(list -> list.replace("\"running\":false", "\"running\":true"));
        queue.scopes().serve(service(id -> {}));
        assertThat(TestQueue.finished(others, ONE.jobType(), "late").status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void a_scope_that_a_list_of_an_old_copy_does_not_have_yet_is_served() throws Exception {
        others.scopes().start(ONE);
        others.scopes().submit(ONE, job("waits"));
        firstListOfScopes(list -> "{\"total_rows\":0,\"offset\":0,\"rows\":[]}");
        queue.scopes().serve(service(id -> {}));
        assertThat(TestQueue.finished(others, ONE.jobType(), "waits").status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void a_stop_that_is_slow_does_not_cancel_what_was_submitted_after_the_next_start() throws Exception {
        queue.scopes().start(ONE);
        queue.add(left("old"));
        Held listing = proxy.holdRequest(ScopeRacesTest::isListing);
        CompletableFuture<Boolean> stop = CompletableFuture.supplyAsync(() -> {
            try {
                return queue.scopes().stop(ONE, Duration.ZERO);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        listing.awaitArrival();
        others.scopes().start(ONE);
        assertThat(others.scopes().submit(ONE, job("new")).isAccepted()).isTrue();
        listing.release();
        assertThat(stop.get(TestQueue.PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                .isFalse();
        assertThat(others.scopes().find(ONE, "new").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
    }

    @Test
    void a_type_that_only_looks_like_a_scope_is_left_alone() throws Exception {
        others.scopes().serve(service(id -> {}));
        queue.add(JobRequest.builder("index@mail").id("a").data(Map.of()).build());
        assertThat(queue.scopes().stop(Scope.of("index", "mail"), TestQueue.PATIENCE))
                .isTrue();
        queue.scopes().start(ONE);
        queue.scopes().submit(ONE, job("b"), endings::add);
        assertThat(ending().outcome()).isEqualTo(Ending.Outcome.FINISHED);
        assertThat(queue.get("index@mail", "a").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
    }

    @Test
    void two_processes_that_serve_a_scope_run_each_job_once_and_both_follow_its_stops_and_starts() throws Exception {
        List<String> ran = Collections.synchronizedList(new ArrayList<>());
        Scopes.Host mine = queue.scopes().serve(service(ran::add));
        Scopes.Host theirs = others.scopes().serve(service(ran::add));
        for (int round = 0; round < 2; round++) {
            queue.scopes().start(ONE);
            TestQueue.until(() -> mine.scopes().contains(ONE) && theirs.scopes().contains(ONE));
            for (int i = 0; i < 5; i++) {
                assertThat(queue.scopes()
                                .submit(ONE, job("r" + round + "-" + i), endings::add)
                                .isAccepted())
                        .isTrue();
            }
            for (int i = 0; i < 5; i++) {
                assertThat(ending().outcome()).isEqualTo(Ending.Outcome.FINISHED);
            }
            assertThat(others.scopes().stop(ONE, TestQueue.PATIENCE)).isTrue();
            TestQueue.until(() -> mine.scopes().isEmpty() && theirs.scopes().isEmpty());
        }
        assertThat(ran).hasSize(10).doesNotHaveDuplicates();
    }

    @Test
    void a_service_that_ends_loses_nothing_and_the_counts_stay_right() throws Exception {
        queue.scopes().start(ONE, ScopeConfig.DEFAULTS.concurrency(1));
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Scopes.Host dying = others.scopes().serve(ScopeService.of("index", ObjectNode.class, (data, context) -> {
            running.countDown();
            never.await();
            return null;
        }));
        for (String id : List.of("a", "b", "c")) {
            queue.scopes().submit(ONE, job(id), endings::add);
        }
        running.await();
        dying.close(Duration.ZERO);
        assertThat(queue.scopes().state(ONE).orElseThrow().isRunning()).isTrue();
        assertThat(queue.scopes().stats(ONE)).isEqualTo(new Scopes.Stats(3, 0, 3, 0, 0, 0, 0, 0));
        queue.scopes().serve(service(id -> {}));
        for (int i = 0; i < 3; i++) {
            assertThat(ending().outcome()).isEqualTo(Ending.Outcome.FINISHED);
        }
        // On a cluster the index of another copy may be behind for a moment.
        TestQueue.until(() -> queue.scopes().stats(ONE).equals(new Scopes.Stats(3, 0, 0, 0, 3, 0, 0, 0)));
    }

    @Test
    void the_job_of_a_service_that_died_runs_again_when_its_lease_is_over() throws Exception {
        queue.types().setTimeout(ONE.jobType(), Duration.ofMillis(300));
        queue.scopes().start(ONE);
        queue.database().put(ownedByTheDead("dead"));
        AtomicInteger runs = new AtomicInteger();
        queue.scopes().serve(service(id -> runs.incrementAndGet()));
        Job done = TestQueue.finished(queue, ONE.jobType(), "dead");
        assertThat(done.status()).isEqualTo(JobStatus.SUCCESS);
        // A machine that stands still for as long as the timeout may cost the second owner its lease, too.
        assertThat(done.expirations()).isPositive();
        assertThat(runs.get()).isPositive();
    }

    @Test
    void a_scope_whose_document_vanished_while_the_feed_was_away_is_served_no_more() throws Exception {
        others.scopes().start(ONE);
        proxy.deafenFeeds();
        QueueScopeHost host = (QueueScopeHost) queue.scopes().serve(service(id -> {}));
        TestQueue.until(() -> host.scopes().contains(ONE));
        ObjectNode document = others.database().get("scope:index@1").orElseThrow();
        others.database().put(document.put("_deleted", true));
        host.gap();
        TestQueue.until(() -> host.scopes().isEmpty());
    }

    @Test
    void an_end_that_cannot_be_read_when_the_feed_tells_it_is_told_when_it_can() throws Exception {
        others.scopes().start(ONE);
        queue.scopes().submit(ONE, job("gone"), endings::add);
        Lost reads = proxy.loseRequests(Integer.MAX_VALUE, ScopeRacesTest::isReadOfGone);
        others.remove(ONE.jobType(), "gone");
        // Each look is tried some times.
        TestQueue.until(() -> reads.count() > 12);
        proxy.clear();
        assertThat(ending().outcome()).isEqualTo(Ending.Outcome.REMOVED);
    }

    @Test
    void threads_that_submit_at_the_same_time_do_not_exceed_the_limits() throws Exception {
        queue.scopes().start(ONE, ScopeConfig.DEFAULTS.concurrency(1).queueLimit(4));
        AtomicInteger taken = new AtomicInteger();
        AtomicInteger full = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(new Thread(() -> {
                for (int i = 0; i < 3; i++) {
                    Submission.Answer answer = queue.scopes()
                            .submit(ONE, JobRequest.of("index", Map.of()))
                            .answer(ONE);
                    (answer == Submission.Answer.OK ? taken : full).incrementAndGet();
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(taken.get()).isEqualTo(5);
        assertThat(full.get()).isEqualTo(7);
        assertThat(queue.scopes().stats(ONE)).isEqualTo(new Scopes.Stats(5, 7, 5, 0, 0, 0, 0, 0));
        assertThat(others.scopes().stats(ONE).rejected()).isEqualTo(7);
    }

    private static boolean isOurWrite(Proxy.Request request) {
        return request.isBulkWrite() && request.body().contains("index@1:raced");
    }

    private static boolean isReadOfGone(Proxy.Request request) {
        return request.method().equals("GET") && request.uri().getPath().endsWith("index@1:gone");
    }

    /** The jobs that wait, with their documents. */
    private static boolean isListing(Proxy.Request request) {
        return request.uri().getPath().endsWith("/_view/status")
                && (request.uri() + request.body()).contains("descending");
    }

    private CompletableFuture<Submission> submitSoon() {
        return CompletableFuture.supplyAsync(() -> queue.scopes().submit(ONE, job("raced"), endings::add));
    }

    private static Submission outcome(CompletableFuture<Submission> submit) throws Exception {
        return submit.get(TestQueue.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Shows the first list that has scopes otherwise, on what looks like a cluster. */
    private void firstListOfScopes(UnaryOperator<String> otherwise) {
        AtomicInteger lists = new AtomicInteger();
        proxy.detour(new PretendedCluster() {
            @Override
            public String rewrites(Proxy.Request request, String answer) {
                boolean isList = request.uri().getPath().endsWith("/_all_docs") && answer.contains("\"running\":");
                return isList && lists.getAndIncrement() == 0
                        ? otherwise.apply(answer)
                        : super.rewrites(request, answer);
            }
        });
    }

    private static ScopeService<ObjectNode> service(Consumer<String> ran) {
        return ScopeService.of("index", ObjectNode.class, (data, context) -> {
            ran.accept(context.id().id());
            return null;
        });
    }

    private static JobRequest job(String id) {
        return JobRequest.builder("index").id(id).data(Map.of()).build();
    }

    /** What is there when a submitter wrote its job and died before it could ask again. */
    private static JobRequest left(String id) {
        return JobRequest.builder(ONE.jobType()).id(id).data(Map.of()).build();
    }

    private static ObjectNode ownedByTheDead(String id) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("_id", ONE.job(id).docId())
                .put("status", "running")
                .put("attempt", 1)
                .put("fence", 1);
        document.putObject("lock").put("token", "t").put("worker", "dead").put("since", 1);
        return document;
    }

    private Ending ending() throws InterruptedException {
        Ending ending = endings.poll(TestQueue.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        if (ending == null) {
            throw new AssertionError("no job ended");
        }
        return ending;
    }
}
