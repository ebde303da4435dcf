package io.couchjobs.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@ServerTest
class ReconfiguredScopesTest {
    private static final Scope ONE = Scope.of("index", 1);
    private static final Scope TWO = Scope.of("index", 2);
    private static final ScopeConfig NARROW =
            ScopeConfig.DEFAULTS.concurrency(1).queueLimit(20);

    private final Gates gates = new Gates();
    private TestDatabase database;
    private JobQueue queue;
    private Scopes scopes;

    @BeforeEach
    void open(TestDatabase database) {
        this.database = database;
        queue = TestQueue.open(database);
        scopes = queue.scopes();
    }

    @AfterEach
    void close() {
        gates.open();
        queue.close();
    }

    @Test
    void more_concurrency_starts_waiting_jobs_in_all_processes_that_serve_the_scope() throws Exception {
        scopes.start(ONE, NARROW);
        try (JobQueue other = TestQueue.open(database)) {
            serve(scopes);
            serve(other.scopes());
            for (int i = 0; i < 8; i++) {
                assertThat(submit(scopes)).isEqualTo(Submission.Answer.OK);
            }
            gates.awaitBegun(2);
            assertThat(other.scopes().reconfigure(ONE, config -> config.concurrency(4)))
                    .map(Scopes.State::config)
                    .contains(NARROW.concurrency(4));
            gates.awaitBegun(6);
            gates.open();
        }
    }

    @Test
    void less_concurrency_stops_no_run_and_lets_fewer_start() throws Exception {
        AtomicInteger running = new AtomicInteger();
        BlockingQueue<Integer> atOnce = new LinkedBlockingQueue<>();
        scopes.start(ONE, NARROW.concurrency(3));
        scopes.serve(ScopeService.of("index", ObjectNode.class, (data, context) -> {
            int now = running.incrementAndGet();
            TestQueue.work(30);
            running.decrementAndGet();
            atOnce.add(now);
            return null;
        }));
        TestQueue.until(() -> most(atOnce) > 1);
        scopes.reconfigure(ONE, NARROW);
        TestQueue.until(() -> most(atOnce) == 1);
        assertThat(scopes.stats(ONE).crashed()).isZero();
        assertThat(scopes.stats(ONE).killed()).isZero();
    }

    @Test
    void the_queue_limit_and_the_classes_count_for_the_next_submit_and_nothing_is_lost() throws Exception {
        scopes.start(ONE, NARROW);
        serve(scopes);
        submit(scopes);
        gates.awaitBegun(1);
        submit(scopes);
        submit(scopes);
        scopes.reconfigure(ONE, NARROW.queueLimit(0));
        assertThat(submit(scopes)).isEqualTo(Submission.Answer.JOB_QUEUE_FULL);
        scopes.reconfigure(ONE, NARROW.classes("book"));
        assertThat(submit(scopes)).isEqualTo(Submission.Answer.JOB_REJECTED);
        scopes.reconfigure(ONE, NARROW);
        assertThat(submit(scopes)).isEqualTo(Submission.Answer.OK);
        gates.open();
        TestQueue.until(() -> scopes.stats(ONE).finished() == 4);
        assertThat(scopes.stats(ONE).accepted()).isEqualTo(4);
    }

    @Test
    void a_changed_configuration_is_the_last_one_of_its_type_and_a_stopped_scope_keeps_it() throws Exception {
        scopes.start(ONE);
        scopes.stop(ONE);
        scopes.reconfigure(ONE, NARROW);
        assertThat(scopes.state(ONE).orElseThrow().isRunning()).isFalse();
        assertThat(scopes.start(TWO).config()).isEqualTo(NARROW);
        assertThat(scopes.start(ONE).config()).isEqualTo(NARROW);
        assertThat(scopes.list()).extracting(Scopes.State::scope).containsExactly(ONE, TWO);
    }

    @Test
    void a_scope_that_was_never_started_is_not_reconfigured_and_not_stopped() {
        assertThat(scopes.reconfigure(ONE, NARROW)).isEmpty();
        scopes.stop(ONE);
        assertThat(scopes.list()).isEmpty();
    }

    @Test
    void a_stop_without_a_time_returns_at_once_and_kills_nothing() throws Exception {
        scopes.start(ONE, NARROW);
        serve(scopes);
        BlockingQueue<Ending> endings = new LinkedBlockingQueue<>();
        scopes.submit(ONE, job(), endings::add);
        gates.awaitBegun(1);
        scopes.submit(ONE, job(), endings::add);
        scopes.stop(ONE);
        assertThat(poll(endings).outcome()).isEqualTo(Ending.Outcome.CANCELLED);
        assertThat(submit(scopes)).isEqualTo(Submission.Answer.SCOPE_SHUTDOWN);
        gates.open();
        assertThat(poll(endings).outcome()).isEqualTo(Ending.Outcome.FINISHED);
    }

    @Test
    void concurrency_by_cores_is_stored_as_it_was_said() {
        ScopeConfig perCore = ScopeConfig.DEFAULTS.concurrency("cores*2");
        assertThat(scopes.start(ONE, perCore).config()).isEqualTo(perCore);
        assertThat(scopes.state(ONE).orElseThrow().config().concurrency())
                .isEqualTo(2 * Runtime.getRuntime().availableProcessors());
        assertThatThrownBy(() -> perCore.concurrency("cores*x")).hasMessageContaining("cores*x");
        assertThatThrownBy(() -> perCore.concurrency("cores*0"))
                .hasMessageContaining("concurrency must be at least 1: cores*0");
    }

    /** Runs some jobs; what most of them saw run at one time. */
    private int most(BlockingQueue<Integer> atOnce) throws InterruptedException {
        List<Integer> seen = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            submit(scopes);
        }
        for (int i = 0; i < 6; i++) {
            seen.add(poll(atOnce));
        }
        return seen.stream().max(Integer::compare).orElseThrow();
    }

    private void serve(Scopes from) {
        from.serve(ScopeService.of("index", ObjectNode.class, gates));
    }

    private static Submission.Answer submit(Scopes to) {
        return to.submit(ONE, job()).answer(ONE);
    }

    private static JobRequest job() {
        return JobRequest.builder("index").data(Map.of()).build();
    }

    private static <E> E poll(BlockingQueue<E> from) throws InterruptedException {
        E one = from.poll(TestQueue.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        if (one == null) {
            throw new AssertionError("nothing came");
        }
        return one;
    }
}
