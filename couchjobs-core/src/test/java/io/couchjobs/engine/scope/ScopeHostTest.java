package io.couchjobs.engine.scope;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.scope.Gates;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeService;
import io.couchjobs.scope.Scopes;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a process starts to serve it ends again, whatever comes between. */
@ServerTest
class ScopeHostTest {
    private static final Scope ONE = Scope.of("index", 1);
    private static final Scope TWO = Scope.of("index", 2);
    private static final Duration AN_HOUR = Duration.ofHours(1);

    private final Gates gates = new Gates();
    private JobQueue queue;
    private Scopes scopes;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        scopes = queue.scopes();
    }

    @AfterEach
    void close() {
        gates.open();
        queue.close();
    }

    @Test
    void a_scope_that_is_stopped_twice_and_started_again_is_served_once() throws Exception {
        CountDownLatch killed = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        List<Scope> served = new CopyOnWriteArrayList<>();
        ScopeService<ObjectNode> service = ScopeService.of("index", ObjectNode.class, (data, context) -> {
            try {
                return gates.handle(data, context);
            } catch (InterruptedException e) {
                killed.countDown();
                end.await();
                throw e;
            }
        });
        scopes.start(ONE);
        Scopes.Host host = scopes.serve(service.only(served::add));
        String worker = workerOfJob("slow");
        ScopeStore documents = new ScopeStore(Stores.of(queue.database()));
        documents.stop(ONE, AN_HOUR);
        TestQueue.until(() -> closings(worker).size() == 1);
        documents.stop(ONE, Duration.ZERO);
        killed.await();
        served.clear();
        scopes.start(ONE);
        end.countDown();
        TestQueue.until(() -> closings(worker).isEmpty());
        // It looks at one scope after the other: when it serves this one, it has done with the other.
        scopes.start(TWO);
        TestQueue.until(() -> host.scopes().contains(TWO));
        assertThat(served).containsExactly(ONE, TWO);
    }

    @Test
    void a_close_by_a_thread_that_is_interrupted_leaves_nothing_running() throws Exception {
        scopes.start(ONE);
        Scopes.Host host = scopes.serve(ScopeService.of("index", ObjectNode.class, gates));
        workerOfJob("slow");
        Thread.currentThread().interrupt();
        host.close(AN_HOUR);
        assertThat(Thread.interrupted()).isTrue();
        TestQueue.until(() -> scopes.stats(ONE).queued() == 1);
        assertThat(host.scopes()).isEmpty();
    }

    @Test
    void a_close_that_is_interrupted_gives_the_jobs_back_at_once() throws Exception {
        scopes.start(ONE);
        Scopes.Host host = scopes.serve(ScopeService.of("index", ObjectNode.class, gates));
        String worker = workerOfJob("slow");
        CompletableFuture<Boolean> isStillInterrupted = new CompletableFuture<>();
        Thread closing = new Thread(() -> {
            host.close(AN_HOUR);
            isStillInterrupted.complete(Thread.interrupted());
        });
        closing.start();
        TestQueue.until(() -> closings(worker).size() == 1);
        closing.interrupt();
        assertThat(isStillInterrupted.get(TestQueue.PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                .isTrue();
        TestQueue.until(() -> scopes.stats(ONE).queued() == 1);
    }

    @Test
    void a_scope_that_is_just_being_started_when_the_time_of_a_close_is_over_is_ended_and_no_other_is_started()
            throws Exception {
        scopes.start(ONE);
        scopes.start(TWO);
        CompletableFuture<Thread> asks = new CompletableFuture<>();
        CountDownLatch answer = new CountDownLatch(1);
        List<Scope> asked = new CopyOnWriteArrayList<>();
        Scopes.Host host =
                scopes.serve(ScopeService.of("index", ObjectNode.class, gates).only(scope -> {
                    if (scope.equals(ONE) || scope.equals(TWO)) {
                        asked.add(scope);
                        asks.complete(Thread.currentThread());
                        awaitQuietly(answer);
                    }
                    return true;
                }));
        Thread starting = asks.get(TestQueue.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        host.close(Duration.ZERO);
        answer.countDown();
        // Its thread may go on with other work.
        TestQueue.until(() -> Stream.of(starting.getStackTrace())
                .noneMatch(frame -> frame.getClassName().equals(QueueScopeHost.class.getName())));
        assertThat(host.scopes()).isEmpty();
        assertThat(asked).hasSize(1);
        TestQueue.until(() -> queue.operations().workers().isEmpty());
    }

    @Test
    void a_scope_whose_jobs_cannot_be_cancelled_does_not_keep_others_from_being_served() throws Exception {
        scopes.start(ONE);
        scopes.submit(ONE, JobRequest.builder("index").id("kept").data(Map.of()).build());
        new ScopeStore(Stores.of(queue.database())).stop(ONE, AN_HOUR);
        scopes.start(TWO);
        queue.database()
                .put(
                        Jobs.json(
                                "{'_id':'_design/rules','validate_doc_update':"
                                        + "'function (doc) { if (doc.status === \\\"cancelled\\\") { throw {forbidden: \\\"no\\\"}; } }'}"));
        Scopes.Host host = scopes.serve(ScopeService.of("index", ObjectNode.class, gates));
        TestQueue.until(() -> host.scopes().contains(TWO));
        queue.database().put(queue.database().get("_design/rules").orElseThrow().put("_deleted", true));
        TestQueue.until(() -> scopes.stats(ONE).queued() == 0);
    }

    @Test
    void a_scope_whose_predicate_fails_does_not_keep_others_from_being_served_and_is_tried_again() throws Exception {
        scopes.start(ONE);
        scopes.start(TWO);
        CountDownLatch mended = new CountDownLatch(1);
        Scopes.Host host =
                scopes.serve(ScopeService.of("index", ObjectNode.class, gates).only(scope -> {
                    if (scope.equals(ONE) && mended.getCount() > 0) {
                        throw new IllegalStateException("no such partition");
                    }
                    return true;
                }));
        TestQueue.until(() -> host.scopes().contains(TWO));
        mended.countDown();
        TestQueue.until(() -> host.scopes().contains(ONE));
    }

    @Test
    void a_close_takes_its_time_once_though_a_scope_is_being_started_and_a_job_runs() throws Exception {
        scopes.start(ONE);
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        Scopes.Host host =
                scopes.serve(ScopeService.of("index", ObjectNode.class, gates).only(scope -> {
                    if (scope.equals(TWO)) {
                        asked.countDown();
                        awaitQuietly(answer);
                    }
                    return true;
                }));
        workerOfJob("slow");
        scopes.start(TWO);
        asked.await();
        long begun = System.nanoTime();
        host.close(Duration.ofSeconds(12));
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        answer.countDown();
        assertThat(took).isLessThan(Duration.ofSeconds(23));
    }

    /** Waits until it runs. */
    private String workerOfJob(String id) throws InterruptedException {
        scopes.submit(ONE, JobRequest.builder("index").id(id).data(Map.of()).build());
        gates.awaitBegun(1);
        return scopes.find(ONE, id).flatMap(Job::lock).orElseThrow().worker();
    }

    private static List<Thread> closings(String worker) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("couchjobs-scope-closing-" + worker))
                .toList();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
