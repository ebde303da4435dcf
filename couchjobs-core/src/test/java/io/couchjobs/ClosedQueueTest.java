package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.scope.ScopeService;
import io.couchjobs.testing.EndlessHandler;
import io.couchjobs.testing.HeardWarnings;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What a queue that was closed says, and that what works behind it ends in silence. Alone, because it hears what all tests log. */
@ServerTest
@Isolated
class ClosedQueueTest {
    @Test
    void every_verb_of_a_closed_queue_says_that_it_is_closed(TestDatabase database) {
        JobQueue queue = TestQueue.open(database);
        JobRequest request = JobRequest.of("email", Map.of());
        WorkerBuilder worker = queue.worker().handler("email", (data, context) -> null);
        queue.close();
        List<ThrowingCallable> verbs = List.of(
                () -> queue.add(request),
                () -> queue.addAsync(request),
                () -> queue.addAll(List.of(request)),
                () -> queue.addBatch(List.of(request), JobRequest.of("report", Map.of())),
                () -> queue.insert(request),
                () -> queue.insertIfNew(request),
                () -> queue.get("email", "1"),
                () -> queue.all("email").count(),
                () -> queue.list(JobFilter.all(), 10),
                () -> queue.page(JobFilter.all(), null, 10),
                queue.types()::counts,
                queue.operations()::workers,
                () -> queue.remove("email", "1"),
                () -> queue.cancel("email", "1", CancelMode.IF_QUEUED),
                () -> queue.retryNow("email", "1"),
                () -> queue.reschedule("email", "1", Instant.EPOCH),
                () -> queue.types().settings("email"),
                () -> queue.types().setTimeout("email", Duration.ofMinutes(1)),
                () -> queue.accept(AcceptOptions.of("email")),
                () -> queue.watch(JobFilter.all(), change -> {}),
                () -> queue.awaitFinished("email", "1", Duration.ofSeconds(1)),
                () -> queue.subscribe("email", "1"),
                () -> queue.logs().read("email", "1").count(),
                () -> queue.schedules().list(),
                () -> queue.operations().gc().run(),
                queue.operations()::init,
                queue.operations().alarms()::start,
                () -> queue.scopes().serve(ScopeService.of("index", ObjectNode.class, (data, context) -> null)),
                worker::start);
        for (ThrowingCallable verb : verbs) {
            assertThatThrownBy(verb)
                    .as("verb %d", verbs.indexOf(verb))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("the queue is closed");
        }
    }

    @Test
    void nothing_that_works_behind_a_queue_can_be_started_while_the_queue_is_being_closed(TestDatabase database) {
        List<Throwable> refusals = new ArrayList<>();
        QueueExtension late = new QueueExtension() {
            @Override
            public void closed(JobQueue closing) {
                refusals.add(catchThrowable(closing.operations().alarms()::start));
                refusals.add(catchThrowable(closing.worker().handler("email", (data, context) -> null)::start));
            }
        };
        TestQueue.builder(database).extension(late).open().close();
        assertThat(refusals).hasSize(2).allSatisfy(refusal -> assertThat(refusal)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the queue is closed"));
    }

    @Test
    void a_worker_whose_queue_was_closed_can_be_closed_again(TestDatabase database) throws Exception {
        JobQueue queue = TestQueue.open(database);
        queue.add("email", Map.of());
        Worker worker = queue.worker().handler("email", (data, context) -> null).start();
        TestQueue.until(() -> worker.stats().succeeded() == 1);
        queue.close();

        assertThatNoException().isThrownBy(worker::close);
    }

    @Test
    void a_worker_without_a_scheduler_is_closed_with_its_queue(TestDatabase database) throws Exception {
        try (JobQueue other = TestQueue.open(database)) {
            JobQueue queue = TestQueue.open(database);
            EndlessHandler endless = new EndlessHandler();
            Worker worker = queue.worker()
                    .withoutScheduler()
                    .handler("endless", endless)
                    .start();
            other.add("endless", Map.of());
            endless.awaitStart();

            queue.close();

            assertThat(endless.stopped(TestQueue.PATIENCE.toSeconds())).contains(JobContext.StopReason.CLOSING);
            worker.awaitStopped();
            TestQueue.until(() -> other.operations().workers().isEmpty());
        }
    }

    @Test
    void a_queue_that_is_closed_while_its_workers_run_gives_their_jobs_back_and_logs_no_warning(TestDatabase database)
            throws Exception {
        try (HeardWarnings heard = new HeardWarnings();
                JobQueue other = TestQueue.open(database)) {
            JobQueue queue = TestQueue.open(database);
            queue.addAll(IntStream.range(0, 200)
                    .mapToObj(i -> JobRequest.of("email", Map.of("n", i)))
                    .toList());
            EndlessHandler endless = new EndlessHandler();
            other.add("endless", Map.of());
            List<Worker> workers = List.of(
                    queue.worker()
                            .concurrency(4)
                            .handler("email", (data, context) -> queue.add("more", Map.of())
                                    .outcome())
                            .start(),
                    queue.worker().handler("endless", endless).start());
            endless.awaitStart();
            TestQueue.until(() -> workers.get(0).stats().succeeded() > 20);

            queue.close();

            for (Worker worker : workers) {
                worker.awaitStopped();
            }
            TestQueue.until(() -> other.types().activeIds("endless").isEmpty());
            TestQueue.until(() -> other.operations().workers().isEmpty());
            assertThat(heard.all()).isEmpty();
        }
    }
}
