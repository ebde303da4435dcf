package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.TraceContext;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** What extensions hear, and what they may change. */
@ServerTest
class QueueListenerTest {
    private static final TraceContext TRACE =
            new TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "vendor=1");

    /** Writes down what it hears. */
    private static class Notes implements QueueExtension {
        final List<String> heard = new CopyOnWriteArrayList<>();

        @Override
        public void added(AddResult result) {
            heard.add("added " + result.id() + " " + result.outcome());
        }

        @Override
        public void claimed(Job before, Job claimed) {
            heard.add("claimed " + before.status() + " " + claimed.id() + " " + claimed.status());
        }

        @Override
        public void opened(JobQueue queue) {
            heard.add("opened");
        }

        @Override
        public void closed(JobQueue queue) {
            heard.add("closed");
        }
    }

    @Test
    void an_extension_hears_what_is_added_and_claimed(TestDatabase database) throws Exception {
        Notes notes = new Notes();
        try (JobQueue queue = TestQueue.builder(database).extension(notes).open()) {
            queue.add(request("1"));
            queue.add(request("1"));
            queue.insert(request("2"));
            queue.insertIfNew(request("2"));
            queue.insertIfNew(request("3"));
            queue.insert(List.of(request("3"), request("4")));
            queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE).max(1));
        }
        assertThat(notes.heard)
                .containsExactly(
                        "opened",
                        "added email:1 ADDED",
                        "added email:1 UNCHANGED",
                        "added email:2 ADDED",
                        "added email:3 ADDED",
                        "added email:3 REJECTED",
                        "added email:4 ADDED",
                        notes.heard.get(7),
                        "closed");
        assertThat(notes.heard.get(7)).matches("claimed WAITING email:. RUNNING");
    }

    @Test
    void one_that_fails_hurts_neither_the_queue_nor_the_others(TestDatabase database) throws Exception {
        Notes notes = new Notes();
        QueueExtension broken = new QueueExtension() {
            @Override
            public void worker(WorkerBuilder worker) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void closed(JobQueue queue) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public JobRequest adding(JobRequest request) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void added(AddResult result) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void claimed(Job before, Job claimed) {
                throw new IllegalStateException("on purpose");
            }
        };
        try (JobQueue queue = TestQueue.builder(database)
                        .extension(broken)
                        .extension(notes)
                        .open();
                Worker worker =
                        queue.worker().handler("email", (data, job) -> null).start()) {
            queue.add(request("1"));
            TestQueue.finished(queue, "email", "1");
            assertThat(worker.concurrency()).isPositive();
        }
        assertThat(notes.heard).contains("opened", "added email:1 ADDED", "claimed WAITING email:1 RUNNING", "closed");
    }

    @Test
    void a_trace_put_in_by_an_extension_is_with_the_job_to_its_end(TestDatabase database) throws Exception {
        QueueExtension tracing = new QueueExtension() {
            @Override
            public JobRequest adding(JobRequest request) {
                return request.tracedBy(TRACE);
            }
        };
        try (JobQueue queue = TestQueue.builder(database).extension(tracing).open();
                Worker worker = queue.worker()
                        .handler(
                                "email",
                                (data, job) -> job.job().trace().orElseThrow().traceparent())
                        .start()) {
            queue.add(request("1"));
            Job named = TestQueue.finished(queue, "email", "1");
            JobId random = queue.add("email", Map.of()).id();
            Job unnamed = TestQueue.finished(queue, "email", random.id());
            assertThat(worker.concurrency()).isPositive();
            for (Job job : List.of(named, unnamed)) {
                assertThat(job.result().orElseThrow().asText()).isEqualTo(TRACE.traceparent());
                assertThat(job.trace()).contains(TRACE);
                assertThat(job.toDocument().path("tracestate").asText()).isEqualTo("vendor=1");
            }
        }
    }

    @Test
    void a_job_whose_trace_is_no_text_runs_without_one(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database);
                Worker worker = queue.worker()
                        .handler("email", (data, job) -> job.job().trace().isEmpty())
                        .start()) {
            queue.database().put(document("1"));
            assertThat(TestQueue.finished(queue, "email", "1")
                            .result()
                            .orElseThrow()
                            .asBoolean())
                    .isTrue();
            assertThat(worker.concurrency()).isPositive();
        }
    }

    @Test
    void the_log_of_a_run_says_whose_it_is(TestDatabase database) throws Exception {
        Map<String, String> seen = new ConcurrentHashMap<>();
        try (JobQueue queue = TestQueue.open(database);
                Worker worker = queue.worker()
                        .id("w1")
                        .handler("email", (data, job) -> {
                            seen.putAll(MDC.getCopyOfContextMap());
                            return null;
                        })
                        .start()) {
            queue.add(request("1"));
            TestQueue.finished(queue, "email", "1");
            assertThat(worker.id()).isEqualTo("w1");
        }
        assertThat(seen)
                .isEqualTo(Map.of(
                        "couchjobs.type", "email",
                        "couchjobs.id", "1",
                        "couchjobs.attempt", "1",
                        "couchjobs.worker", "w1"));
    }

    @Test
    void every_worker_has_what_an_extension_gives_it(TestDatabase database) throws Exception {
        List<String> ends = new CopyOnWriteArrayList<>();
        QueueExtension extension = new QueueExtension() {
            @Override
            public void worker(WorkerBuilder worker) {
                worker.onRunEnded(report -> ends.add("extension " + report.id()));
            }
        };
        try (JobQueue queue = TestQueue.builder(database).extension(extension).open()) {
            Worker worker = queue.worker()
                    .onRunEnded(report -> ends.add("program " + report.id()))
                    .handler("email", (data, job) -> null)
                    .maxJobs(1)
                    .start();
            queue.add(request("1"));
            worker.awaitStopped();
            worker.close();
        }
        assertThat(ends).containsExactly("extension email:1", "program email:1");
    }

    @Test
    void a_settable_clock_is_not_corrected(TestDatabase database) {
        Instant future = Instant.parse("2040-02-29T12:00:00Z");
        try (JobQueue queue =
                TestQueue.builder(database).settableClock(() -> future).open()) {
            Job job = queue.insert(request("1"));
            assertThat(job.times()).containsEntry("created", future);
        }
    }

    private static JobRequest request(String id) {
        return JobRequest.builder("email").id(id).data(Map.of("n", 1)).build();
    }

    private static ObjectNode document(String id) {
        ObjectNode document = JobRequest.of("email", Map.of()).data();
        document.put("_id", new JobId("email", id).docId()).put("traceparent", 7);
        document.putObject("data");
        return document;
    }
}
