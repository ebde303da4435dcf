package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.Auth;
import io.couchjobs.couch.Secret;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobRequest;
import io.couchjobs.worker.Worker;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker whose credentials are refused while it works. */
class RefusedCredentialsTest {
    private static final int JOBS = 12;

    @TempDir
    Path folder;

    @Test
    void goes_on_by_itself_when_they_are_right_again_and_runs_each_job_once() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        try (EmbeddedCouch couch = server(0);
                JobQueue queue = open(couch);
                Worker worker = queue.worker()
                        .concurrency(3)
                        .handler("email", (data, context) -> {
                            go.await();
                            return runs.incrementAndGet();
                        })
                        .start()) {
            queue.addAll(jobs());
            TestQueue.until(() -> worker.stats().running() == 3);
            AtomicInteger refused = new AtomicInteger();
            couch.faults().answer(Integer.MAX_VALUE, request -> refused.incrementAndGet() > 0, 401);
            go.countDown();
            TestQueue.until(() -> refused.get() > 20);
            assertThat(worker.stats().succeeded()).isZero();
            couch.faults().clear();
            TestQueue.until(() -> worker.stats().succeeded() == JOBS);
            assertThat(runs).hasValue(JOBS);
        }
    }

    @Test
    void logs_in_again_when_the_server_has_forgotten_its_session() throws Exception {
        EmbeddedCouch couch = server(0);
        int port = couch.port();
        try (JobQueue queue = open(couch);
                Worker worker = queue.worker()
                        .handler("email", (data, context) -> "sent")
                        .start()) {
            queue.addAll(jobs());
            TestQueue.until(() -> worker.stats().succeeded() == JOBS);
            couch.close();
            couch = server(port);
            try (JobQueue other = open(couch)) {
                other.add("email", Map.of());
            }
            TestQueue.until(() -> worker.stats().succeeded() == JOBS + 1);
        } finally {
            couch.close();
        }
    }

    private EmbeddedCouch server(int port) {
        return EmbeddedCouch.builder()
                .directory(folder)
                .port(port)
                .admin("admin", "secret")
                .start();
    }

    private static JobQueue open(EmbeddedCouch couch) {
        return JobQueue.builder(URI.create(couch.url() + "jobs"))
                .auth(new Auth.Session("admin", Secret.of("secret")))
                .open();
    }

    private static List<JobRequest> jobs() {
        return IntStream.range(0, JOBS)
                .mapToObj(i ->
                        JobRequest.builder("email").id("" + i).data(Map.of()).build())
                .toList();
    }
}
