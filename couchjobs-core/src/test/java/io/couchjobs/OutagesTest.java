package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.LastingPort;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker outlives whatever happens to its database. */
class OutagesTest {
    @TempDir
    Path folder;

    @Test
    void a_worker_goes_on_when_the_server_was_away() throws Exception {
        int port = LastingPort.find();
        EmbeddedCouch server =
                EmbeddedCouch.builder().directory(folder).port(port).start();
        try (JobQueue queue = JobQueue.builder(server.url().resolve("jobs").toString())
                        .renewLeases(false)
                        .open();
                Worker worker = queue.worker()
                        .handler("email", (data, context) -> "sent")
                        .start()) {
            queue.add(request("before"));
            TestQueue.finished(queue, "email", "before");
            server.close();
            server = EmbeddedCouch.builder().directory(folder).port(port).start();
            try (JobQueue other = JobQueue.builder(server.url().resolve("jobs").toString())
                    .renewLeases(false)
                    .open()) {
                other.add(request("after"));
                assertThat(TestQueue.finished(other, "email", "after").status()).isEqualTo(JobStatus.SUCCESS);
            }
            TestQueue.until(() -> worker.stats().succeeded() == 2);
        } finally {
            server.close();
        }
    }

    @Test
    void a_worker_that_cannot_be_started_leaves_nothing_behind() throws Exception {
        try (EmbeddedCouch server = EmbeddedCouch.inMemory().start();
                JobQueue queue = JobQueue.builder(server.url().resolve("jobs").toString())
                        .renewLeases(false)
                        .open()) {
            server.faults().cut(1_000, request -> request.path().equals("/jobs"));
            assertThatThrownBy(() -> queue.worker()
                            .handler("email", (data, context) -> "sent")
                            .start())
                    .isInstanceOf(CouchUnreachableException.class);
            server.faults().clear();
            assertThat(queue.operations().workers()).isEmpty();
        }
    }

    /** A claim that failed while the server was away must not be waited for when it is back. */
    @Test
    void a_worker_makes_no_pause_between_claims_once_the_server_is_back() throws Exception {
        AtomicBoolean breaksWithTheFirstClaim = new AtomicBoolean();
        AtomicBoolean away = new AtomicBoolean();
        AtomicInteger searches = new AtomicInteger();
        try (EmbeddedCouch server = EmbeddedCouch.inMemory().start();
                JobQueue queue = JobQueue.builder(server.url().resolve("jobs").toString())
                        .renewLeases(false)
                        .open()) {
            queue.addAll(IntStream.range(0, 8).mapToObj(i -> request("" + i)).toList());
            server.faults()
                    .answer(
                            Integer.MAX_VALUE,
                            request -> {
                                if (request.path().endsWith("/_bulk_docs") && breaksWithTheFirstClaim.get()) {
                                    away.set(true);
                                }
                                if (away.get() && request.path().endsWith("/due")) {
                                    searches.incrementAndGet();
                                }
                                return away.get();
                            },
                            500);
            breaksWithTheFirstClaim.set(true);
            CountDownLatch first = new CountDownLatch(1);
            try (Worker worker = queue.worker()
                    .id("patient")
                    .handler("email", (data, context) -> {
                        first.countDown();
                        return "sent";
                    })
                    .start()) {
                TestQueue.until(() -> searches.get() > 4);
                breaksWithTheFirstClaim.set(false);
                away.set(false);
                first.await();
                TestQueue.until(() -> {
                    assertThat(dispatcher("patient")).doesNotContain("Backoff.pause");
                    return worker.stats().succeeded() == 8;
                });
            }
        }
    }

    @Test
    void a_result_is_stored_when_the_server_comes_back_within_the_lease() throws Exception {
        int port = LastingPort.find();
        EmbeddedCouch server =
                EmbeddedCouch.builder().directory(folder).port(port).start();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        try (JobQueue queue = JobQueue.builder(server.url().resolve("jobs").toString())
                        .renewLeases(false)
                        .open();
                Worker worker = queue.worker()
                        .handler("email", (data, context) -> {
                            running.countDown();
                            end.await();
                            return runs.incrementAndGet();
                        })
                        .start()) {
            queue.add(request("1"));
            running.await();
            server.close();
            end.countDown();
            TestQueue.until(() -> runs.get() == 1);
            server = EmbeddedCouch.builder().directory(folder).port(port).start();
            TestQueue.until(() -> worker.stats().succeeded() == 1);
            assertThat(queue.get("email", "1")
                            .orElseThrow()
                            .result()
                            .orElseThrow()
                            .asInt())
                    .isEqualTo(1);
        } finally {
            server.close();
        }
    }

    @Test
    void a_job_is_halted_when_its_lease_cannot_be_renewed() throws Exception {
        EmbeddedCouch server = EmbeddedCouch.builder().directory(folder).start();
        CountDownLatch interrupted = new CountDownLatch(1);
        try (JobQueue queue = JobQueue.builder(server.url().resolve("jobs").toString())
                .renewLeases(false)
                .open()) {
            queue.types().setTimeout("email", Duration.ofSeconds(1));
            try (Worker worker = queue.worker()
                    .handler("email", (data, context) -> {
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            interrupted.countDown();
                        }
                        return "too late";
                    })
                    .start()) {
                queue.add(request("1"));
                TestQueue.until(() -> worker.stats().running() == 1);
                server.close();
                interrupted.await();
                TestQueue.until(() -> worker.stats().halted() >= 1);
                worker.close(Duration.ofSeconds(1));
            }
        } finally {
            server.close();
        }
    }

    @Test
    void a_worker_goes_on_in_a_database_that_was_deleted_and_made_anew() throws Exception {
        try (EmbeddedCouch server = EmbeddedCouch.inMemory().start();
                JobQueue queue = JobQueue.builder(server.url().resolve("jobs").toString())
                        .renewLeases(false)
                        .open();
                Worker worker = queue.worker()
                        .handler("email", (data, context) -> "sent")
                        .start()) {
            queue.add(request("1"));
            TestQueue.finished(queue, "email", "1");
            queue.database().delete();
            queue.operations().init();
            queue.add(request("2"));
            TestQueue.until(() -> worker.stats().succeeded() == 2);
        }
    }

    /** What the thread that claims jobs is doing. */
    private static String dispatcher(String worker) {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getName().equals("couchjobs-worker-" + worker))
                .map(thread -> Arrays.toString(thread.getValue()))
                .findFirst()
                .orElseThrow();
    }

    private static JobRequest request(String id) {
        return JobRequest.builder("email").id(id).data(Map.of()).build();
    }
}
