package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.ViewQuery;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.OtherProcess;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.RetryPolicy;
import io.couchjobs.worker.Worker;
import java.io.BufferedReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a worker outlives without a restart, and goes on as before. */
@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class SurvivalTest {
    @ParameterizedTest
    @ValueSource(ints = {500, 503})
    void a_server_that_answers_many_requests_with_an_error(int status) throws Exception {
        long seed = Long.getLong("couchjobs.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        AtomicInteger runs = new AtomicInteger();
        try (EmbeddedCouch server = EmbeddedCouch.inMemory().start();
                JobQueue creator = JobQueue.builder(server.url().resolve("jobs").toString())
                        .renewLeases(false)
                        .open();
                JobQueue queue = JobQueue.builder(server.url().resolve("jobs").toString())
                        .renewLeases(false)
                        .open();
                Worker worker = queue.worker()
                        .concurrency(2)
                        .handler("email", (data, context) -> runs.incrementAndGet())
                        .start()) {
            creator.addAll(requests(15));
            server.faults().answer(30, request -> isUnlucky(random), status);
            TestQueue.until(() -> worker.stats().succeeded() == 15);
            server.faults().clear();
            creator.add("email", Map.of());
            TestQueue.until(() -> worker.stats().succeeded() == 16);
            assertThat(runs).as("no worker died, so each ran once").hasValue(16);
        }
    }

    @Test
    void a_database_that_was_deleted_and_made_anew(TestDatabase database) throws Exception {
        Assumptions.assumeFalse(
                database.serverName().contains("PouchDB"),
                "PouchDB Server goes on with the heartbeats of a deleted database's feed: only the watchdog notices");
        try (JobQueue queue = TestQueue.open(database);
                Worker worker =
                        queue.worker().handler("email", (data, context) -> null).start()) {
            queue.addAll(requests(3));
            TestQueue.until(() -> worker.stats().succeeded() == 3);
            queue.database().delete();
            queue.operations().init();
            queue.addAll(requests(3));
            TestQueue.until(() -> worker.stats().succeeded() == 6);
        }
    }

    @Test
    void design_documents_that_vanish_under_it(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database);
                Worker worker =
                        queue.worker().handler("email", (data, context) -> null).start()) {
            queue.addAll(requests(3));
            TestQueue.until(() -> worker.stats().succeeded() == 3);
            queue.database()
                    .view(ViewQuery.allDocs().startKey("_design/").endKey("_design0"))
                    .rows()
                    .forEach(row -> queue.database()
                            .put(Jobs.json("{'_id':'" + row.id() + "','_deleted':true,'_rev':'"
                                    + row.value().path("rev").asText() + "'}")));
            for (int i = 0; i < 5; i++) {
                queue.addAll(requests(50));
                int expected = 3 + 50 * (i + 1);
                TestQueue.until(() -> worker.stats().succeeded() == expected);
            }
        }
    }

    @Test
    void jobs_of_a_type_that_nobody_knows(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database);
                Worker worker =
                        queue.worker().handler("email", (data, context) -> null).start()) {
            Optional<String> rev =
                    queue.add("unknown", Map.of()).job().orElseThrow().rev();
            queue.add("email", Map.of());
            TestQueue.until(() -> worker.stats().succeeded() == 1);
            assertThat(queue.list(JobFilter.all().type("unknown"), 10))
                    .singleElement()
                    .satisfies(job -> assertThat(job.rev()).isEqualTo(rev));
        }
    }

    @Test
    void handlers_that_use_up_the_memory(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database)) {
            // Whatever runs beside a greedy job may get no memory either.
            Duration moment = Duration.ofMillis(1);
            queue.types().change("email", type -> type.withRetryPolicy(new RetryPolicy(100, moment, moment)));
            for (int i = 0; i < 30; i++) {
                boolean isGreedy = i % 10 == 0;
                JobRequest.Builder job = JobRequest.builder("email").id("" + i).data(Map.of("greedy", isGreedy));
                queue.add(isGreedy ? job.maxRetries(0).build() : job.build());
            }
            Process process = OtherProcess.start(List.of("-Xmx48m"), Greedy.class, database);
            try (BufferedReader says = process.inputReader()) {
                for (int i = 0; i < 30; i++) {
                    Job job = TestQueue.finished(queue, "email", "" + i);
                    JobStatus wanted = i % 10 == 0 ? JobStatus.FAILED : JobStatus.SUCCESS;
                    assertThat(job.status()).as(job.toString()).isEqualTo(wanted);
                }
                assertThat(says.readLine()).isEqualTo("27 succeeded");
            } finally {
                process.destroyForcibly();
            }
        }
    }

    @Test
    void thousands_of_jobs_that_all_fail(TestDatabase database) throws Exception {
        int many = database.serverName().contains("PouchDB") ? 100 : Integer.getInteger("couchjobs.failing", 1_000);
        try (JobQueue queue = TestQueue.open(database)) {
            queue.types()
                    .change("email", type -> type.withRetryPolicy(new RetryPolicy(1, Duration.ZERO, Duration.ZERO)));
            AtomicInteger runs = new AtomicInteger();
            try (Worker worker = queue.worker()
                    .concurrency(20)
                    .handler("email", (data, context) -> {
                        runs.incrementAndGet();
                        throw new IllegalStateException("always");
                    })
                    .handler("other", (data, context) -> null)
                    .start()) {
                for (int from = 0; from < many; from += 500) {
                    queue.addAll(requests(Math.min(500, many - from)));
                }
                for (int tenth = 1; tenth <= 10; tenth++) {
                    long due = (long) many * tenth / 10;
                    TestQueue.until(() -> worker.stats().failed() >= due);
                }
                assertThat(runs).hasValue(2 * many);
                TestQueue.until(() -> worker.stats().retried() == many);
                queue.add("other", Map.of());
                TestQueue.until(() -> worker.stats().succeeded() == 1);
            }
        }
    }

    /** Runs jobs until it is ended; of those that are greedy each takes all the memory there is. */
    static final class Greedy {
        public static void main(String[] arguments) throws Exception {
            try (JobQueue queue = OtherProcess.queue();
                    Worker worker = queue.worker()
                            .concurrency(3)
                            .handler(
                                    "email",
                                    (data, context) -> run(data.path("greedy").asBoolean()))
                            .start()) {
                TestQueue.until(() -> worker.stats().succeeded() >= 27);
                System.out.println(worker.stats().succeeded() + " succeeded");
                int unused = System.in.read(); // greedy jobs may be left
            }
        }

        private static int run(boolean greedy) {
            List<byte[]> hoard = new ArrayList<>();
            while (greedy) {
                hoard.add(new byte[1 << 16]);
            }
            return hoard.size();
        }
    }

    private static boolean isUnlucky(Random random) {
        synchronized (random) {
            return random.nextInt(3) == 0;
        }
    }

    private static List<JobRequest> requests(int count) {
        return IntStream.range(0, count)
                .mapToObj(n -> JobRequest.builder("email").data(Map.of("n", n)).build())
                .toList();
    }
}
