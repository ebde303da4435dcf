package io.couchjobs.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.NoTypeTimeoutException;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@ServerTest
class ScopesTest {
    private static final Scope ONE = Scope.of("index", 1);
    private static final Scope TWO = Scope.of("index", 2);

    private final Gates gates = new Gates();
    private final BlockingQueue<Ending> endings = new LinkedBlockingQueue<>();
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
    void a_running_scope_runs_what_is_submitted_and_counts_it() throws Exception {
        scopes.start(ONE);
        scopes.serve(ScopeService.of("index", ObjectNode.class, (data, context) -> "done " + context.id()));
        Submission submitted = scopes.submit(ONE, job("a"));
        assertThat(submitted.isAccepted()).isTrue();
        Job done = TestQueue.finished(queue, ONE.jobType(), submitted.id());
        assertThat(done.result().orElseThrow().asText()).isEqualTo("done index@1:a");
        assertThat(scopes.stats(ONE)).isEqualTo(new Scopes.Stats(1, 0, 0, 0, 1, 0, 0, 0));
        assertThat(scopes.find(ONE, "a").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void a_start_inherits_the_last_configuration_of_its_type_and_an_empty_one_is_the_defaults() throws Exception {
        assertThat(scopes.start(ONE).config()).isEqualTo(ScopeConfig.DEFAULTS);
        ScopeConfig small = ScopeConfig.DEFAULTS.concurrency(2);
        assertThat(scopes.start(ONE, small).config()).isEqualTo(ScopeConfig.DEFAULTS);
        assertThat(scopes.start(TWO, small).config()).isEqualTo(small);
        assertThat(scopes.start(Scope.of("index", 3)).config()).isEqualTo(small);
        assertThat(scopes.start(Scope.of("other", 3)).config()).isEqualTo(ScopeConfig.DEFAULTS);
        assertThat(scopes.start(Scope.of("index", 4), ScopeConfig.DEFAULTS).config())
                .isEqualTo(ScopeConfig.DEFAULTS);
        assertThat(scopes.start(Scope.of("index", 5)).config()).isEqualTo(ScopeConfig.DEFAULTS);
        TestQueue.until(() -> scopes.list("index").size() == 5);
        assertThat(scopes.list("index")).allMatch(Scopes.State::isRunning);
        assertThat(scopes.state(Scope.of("index", 6))).isEmpty();
    }

    @Test
    void a_scope_answers_in_the_order_shutdown_full_runnable_filter() throws Exception {
        record Page(int number) {}
        scopes.serve(ScopeService.of("index", Page.class, (page, context) -> null)
                .accept(job -> !job.data().has("unwanted"))
                .only(partition -> false));
        scopes.serve(ScopeService.of("index", Page.class, (page, context) -> null)
                .accept(job -> !job.data().has("unwanted"))
                .only(ONE::equals));
        queue.types().change(ONE.jobType(), settings -> settings.withPaused(true));
        Map<String, Object> wrong = Map.of("number", "x", "unwanted", true);
        assertThat(answer(wrong)).isEqualTo(Submission.Answer.SCOPE_SHUTDOWN);
        scopes.start(ONE, ScopeConfig.DEFAULTS.concurrency(1).queueLimit(1).classes("book"));
        assertThat(answer(wrong)).isEqualTo(Submission.Answer.NOT_RUNNABLE);
        assertThat(answer(Map.of("number", 1, "unwanted", true))).isEqualTo(Submission.Answer.JOB_REJECTED);
        assertThat(scopes.submit(
                                ONE,
                                JobRequest.builder("index")
                                        .data(Map.of())
                                        .jobClass("leaf")
                                        .build())
                        .problems()
                        .get(ONE))
                .contains("class \"leaf\"");
        assertThat(answer(Map.of("number", 1))).isEqualTo(Submission.Answer.OK);
        assertThat(answer(Map.of("number", 2))).isEqualTo(Submission.Answer.OK);
        // The copy of a cluster that counts may lack the last job.
        TestQueue.until(() -> scopes.stats(ONE).queued() == 2 && answer(wrong) == Submission.Answer.JOB_QUEUE_FULL);
        assertThat(scopes.stats(ONE).accepted()).isEqualTo(2);
        assertThat(scopes.stats(ONE).rejected()).isGreaterThanOrEqualTo(4);
    }

    @Test
    void jobs_that_wait_are_cancelled_by_a_stop_though_nobody_serves_the_scope() {
        scopes.start(ONE);
        assertThat(scopes.submit(ONE, job("a")).isAccepted()).isTrue();
        scopes.stop(ONE);
        assertThat(queue.get(ONE.jobType(), "a").orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void an_id_that_is_taken_is_not_runnable_and_the_first_job_still_tells_its_end() throws Exception {
        scopes.start(ONE);
        assertThat(scopes.submit(ONE, job("a"), endings::add).isAccepted()).isTrue();
        Submission second = scopes.submit(ONE, job("a"), ending -> {
            throw new AssertionError("the second job was not taken");
        });
        assertThat(second.answer(ONE)).isEqualTo(Submission.Answer.NOT_RUNNABLE);
        assertThat(second.problems().get(ONE)).contains("exists already");
        scopes.cancel(ONE, "a", false);
        assertThat(ending().outcome()).isEqualTo(Ending.Outcome.CANCELLED);
    }

    @Test
    void a_job_goes_to_all_running_scopes_of_a_type_or_to_a_list_and_is_found_as_one() throws Exception {
        scopes.start(ONE);
        scopes.start(TWO, ScopeConfig.DEFAULTS.concurrency(1).queueLimit(0));
        Scope other = Scope.of("index2", 1);
        scopes.start(other);
        Scope unknown = Scope.of("index", 9);
        assertThat(scopes.submit("index", job("all")).answers())
                .containsOnlyKeys(ONE, TWO)
                .containsValue(Submission.Answer.OK);
        Submission some = scopes.submit(List.of(other, TWO, unknown), job("some"));
        assertThat(some.answers())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        other,
                        Submission.Answer.OK,
                        TWO,
                        Submission.Answer.JOB_QUEUE_FULL,
                        unknown,
                        Submission.Answer.SCOPE_SHUTDOWN));
        assertThat(some.accepted()).containsExactly(other);
        assertThat(some.isAccepted()).isFalse();
        assertThat(scopes.find("all")).extracting(Job::id).containsExactlyInAnyOrder(ONE.job("all"), TWO.job("all"));
        assertThat(scopes.find(some.correlationId())).extracting(Job::id).containsExactly(other.job("some"));
        assertThat(scopes.submit("nobody", job("x")).isAccepted()).isFalse();
        assertThat(scopes.state(unknown)).isEmpty();
    }

    @Test
    void a_stop_cancels_what_waits_lets_run_what_runs_and_refuses_what_comes() throws Exception {
        scopes.start(ONE, ScopeConfig.DEFAULTS.concurrency(1));
        Scopes.Host host = serve();
        scopes.submit(ONE, job("running"), endings::add);
        gates.awaitBegun(1);
        scopes.submit(ONE, job("waiting"), endings::add);
        Thread stopping = new Thread(() -> {
            try {
                assertThat(scopes.stop(ONE, TestQueue.PATIENCE)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        stopping.start();
        Ending waiting = ending();
        assertThat(waiting.id()).isEqualTo("waiting");
        assertThat(waiting.outcome()).isEqualTo(Ending.Outcome.CANCELLED);
        assertThat(waiting.reason().orElseThrow()).startsWith("SCOPE_SHUTDOWN");
        assertThat(scopes.submit(ONE, job("late")).answer(ONE)).isEqualTo(Submission.Answer.SCOPE_SHUTDOWN);
        gates.open();
        assertThat(ending().outcome()).isEqualTo(Ending.Outcome.FINISHED);
        stopping.join(TestQueue.PATIENCE.toMillis());
        assertThat(stopping.isAlive()).isFalse();
        TestQueue.until(() -> host.scopes().isEmpty());
        assertThat(scopes.stats(ONE)).isEqualTo(new Scopes.Stats(2, 1, 0, 0, 1, 0, 0, 1));
    }

    @Test
    void a_job_that_still_runs_at_the_deadline_of_a_stop_is_killed_and_a_new_start_runs_jobs_again() throws Exception {
        scopes.start(ONE);
        serve();
        scopes.submit(ONE, job("slow"), endings::add);
        gates.awaitBegun(1);
        assertThat(scopes.stop(ONE, Duration.ZERO)).isTrue();
        Ending killed = ending();
        assertThat(killed.outcome()).isEqualTo(Ending.Outcome.KILLED);
        assertThat(killed.reason()).contains("SCOPE_SHUTDOWN: the scope was stopped while the job ran");
        assertThat(scopes.stats(ONE)).isEqualTo(new Scopes.Stats(1, 0, 0, 0, 0, 1, 0, 0));
        assertThat(scopes.stop(ONE, Duration.ZERO)).isTrue();
        scopes.start(ONE);
        scopes.submit(ONE, job("next"));
        gates.awaitBegun(1);
        TestQueue.until(() -> scopes.stats(ONE).running() == 1);
    }

    @Test
    void a_cancel_has_four_answers() throws Exception {
        scopes.start(ONE, ScopeConfig.DEFAULTS.concurrency(1));
        serve();
        scopes.submit(ONE, job("running"), endings::add);
        gates.awaitBegun(1);
        scopes.submit(ONE, job("waiting"), endings::add);
        assertThat(scopes.cancel(ONE, "waiting", true)).isEqualTo(Scopes.CancelAnswer.CANCELLED);
        assertThat(scopes.cancel(ONE, "running", false)).isEqualTo(Scopes.CancelAnswer.RUNNING);
        assertThat(scopes.cancel(ONE, "running", true)).isEqualTo(Scopes.CancelAnswer.KILLED);
        assertThat(List.of(ending().outcome(), ending().outcome()))
                .containsExactlyInAnyOrder(Ending.Outcome.CANCELLED, Ending.Outcome.KILLED);
        assertThat(scopes.cancel(ONE, "running", true)).isEqualTo(Scopes.CancelAnswer.FINISHED);
        assertThatThrownBy(() -> scopes.cancel(ONE, "nobody", true)).isInstanceOf(NotFoundException.class);
        assertThat(scopes.stats(ONE)).isEqualTo(new Scopes.Stats(2, 0, 0, 0, 0, 1, 0, 1));
    }

    @Test
    void each_job_has_one_ending_told_by_its_hook_or_else_by_an_event() throws Exception {
        BlockingQueue<Ending> events = new LinkedBlockingQueue<>();
        scopes.onEnded(events::add);
        scopes.start(ONE);
        serve();
        gates.open();
        JobRequest failing = JobRequest.builder("index")
                .id("failing")
                .data(Map.of("fail", "no such page"))
                .maxRetries(0)
                .build();
        scopes.submit(ONE, failing, endings::add);
        Ending crashed = ending();
        assertThat(crashed.outcome()).isEqualTo(Ending.Outcome.CRASHED);
        assertThat(crashed.reason().orElseThrow()).contains("no such page");
        scopes.submit(ONE, job("quiet"));
        scopes.submit(ONE, job("broken hook"), ending -> {
            throw new IllegalStateException("the hook fails");
        });
        List<String> told = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            told.add(poll(events).id());
        }
        assertThat(told).containsExactlyInAnyOrder("quiet", "broken hook");
        queue.retryNow(ONE.jobType(), "quiet");
        scopes.submit(ONE, job("last"), endings::add);
        assertThat(ending().id()).isEqualTo("last");
        TestQueue.finished(queue, ONE.jobType(), "quiet");
        scopes.submit(ONE, job("removed later"), endings::add);
        assertThat(ending().id()).isEqualTo("removed later");
        queue.remove(ONE.jobType(), "removed later");
        assertThat(events).isEmpty();
        assertThat(endings).isEmpty();
    }

    @Test
    void a_job_that_is_removed_before_it_ends_tells_that() throws Exception {
        scopes.start(ONE);
        scopes.submit(ONE, job("gone"), endings::add);
        queue.remove(ONE.jobType(), "gone");
        assertThat(ending().outcome()).isEqualTo(Ending.Outcome.REMOVED);
    }

    @Test
    void the_history_is_what_has_ended_newest_first() throws Exception {
        scopes.start(ONE);
        serve();
        gates.open();
        for (String id : List.of("a", "b", "c")) {
            scopes.submit(ONE, job(id), endings::add);
            ending();
        }
        queue.types().change(ONE.jobType(), settings -> settings.withPaused(true));
        scopes.submit(ONE, job("waiting"));
        TestQueue.until(() -> scopes.history(ONE, 9).size() == 3);
        assertThat(scopes.history(ONE, 2)).extracting(job -> job.id().id()).containsExactly("c", "b");
        assertThat(scopes.history(TWO, 9)).isEmpty();
    }

    @Test
    void an_accept_function_is_tried_before_a_service_begins_and_asked_again_before_a_job_runs() throws Exception {
        assertThatThrownBy(() -> scopes.serve(ScopeService.of("index", ObjectNode.class, gates)
                        .accept(job -> job.data().get("size").asInt() < 10)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("index");
        scopes.start(ONE);
        scopes.submit(ONE, job("unasked"), endings::add);
        scopes.serve(ScopeService.of("index", ObjectNode.class, gates).accept(job -> false));
        Ending refused = ending();
        assertThat(refused.outcome()).isEqualTo(Ending.Outcome.CRASHED);
        assertThat(refused.reason().orElseThrow()).startsWith("JOB_REJECTED");
        assertThat(gates.begunBeyond()).isZero();
    }

    @Test
    void a_function_that_fails_when_a_service_begins_is_the_one_that_is_named() {
        ScopeService<ObjectNode> service = ScopeService.of("index", ObjectNode.class, gates);
        assertThatThrownBy(() -> scopes.serve(
                        service.accept(job -> job.data().get("size").asInt() < 10)))
                .hasMessageContaining("the accept function for scopes of type index fails");
        assertThatThrownBy(() -> scopes.serve(service.only(scope -> Integer.parseInt(scope.partition()) < 10)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the function of only for scopes of type index fails")
                .hasMessageContaining("\"probe\"");
    }

    @Test
    void a_strict_queue_wants_a_timeout_for_the_jobs_of_a_scope(TestDatabase database) {
        try (JobQueue strict = TestQueue.builder(database).strict(true).open()) {
            strict.scopes().start(ONE);
            assertThatThrownBy(() -> strict.scopes().submit(ONE, job("a"))).isInstanceOf(NoTypeTimeoutException.class);
            strict.types().setTimeout(ONE.jobType(), Duration.ofMinutes(1));
            assertThat(strict.scopes().submit(ONE, job("a")).isAccepted()).isTrue();
        }
    }

    private Scopes.Host serve() {
        return scopes.serve(ScopeService.of("index", ObjectNode.class, gates));
    }

    private Submission.Answer answer(Map<String, Object> data) {
        return scopes.submit(
                        ONE,
                        JobRequest.builder("index").data(data).jobClass("book").build())
                .answer(ONE);
    }

    private static JobRequest job(String id) {
        return JobRequest.builder("index").id(id).data(Map.of()).build();
    }

    private Ending ending() throws InterruptedException {
        return poll(endings);
    }

    private static Ending poll(BlockingQueue<Ending> from) throws InterruptedException {
        Ending ending = from.poll(TestQueue.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        if (ending == null) {
            throw new AssertionError("no job ended");
        }
        return ending;
    }
}
