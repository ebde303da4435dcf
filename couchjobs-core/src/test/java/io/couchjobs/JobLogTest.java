package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Logs;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

@ServerTest
class JobLogTest extends OpenQueue {
    @Test
    void a_log_is_complete_and_in_order_when_its_job_has_finished() throws Exception {
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    for (int i = 0; i < 500; i++) {
                        context.log("line " + i);
                    }
                    return null;
                })
                .start()) {
            run("1");
            assertThat(worker.stats().failed()).isZero();
        }
        List<String> wanted = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            wanted.add("line " + i);
        }
        assertThat(lines("1")).isEqualTo(wanted);
    }

    @Test
    void the_log_of_a_job_that_is_added_anew_takes_the_place_of_what_a_crash_left_of_the_old_one() throws Exception {
        ObjectNode left = JsonNodeFactory.instance.objectNode().put("_id", "log:email:1:0000000000000001:00000001");
        left.putArray("lines").addObject().put("at", 1000).put("text", "of the old one");
        queue.database().put(left);
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    context.log("of the new one");
                    return null;
                })
                .start()) {
            run("1");
            TestQueue.until(() -> lines("1").equals(List.of("of the new one")));
            assertThat(worker.stats().failed()).isZero();
        }
    }

    @Test
    void a_log_is_read_while_its_job_runs_and_followed_to_its_end() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        List<String> followed = Collections.synchronizedList(new ArrayList<>());
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    context.log("begun");
                    read.await();
                    context.log("ended");
                    return null;
                })
                .start()) {
            add("1");
            TestQueue.until(() -> lines("1").equals(List.of("begun")));
            try (Logs.Following following = queue.logs()
                    .follow("email", "1", chunk -> chunk.lines().forEach(line -> followed.add(line.text())))) {
                read.countDown();
                TestQueue.until(() -> followed.equals(List.of("begun", "ended")));
                assertThat(following.finish(TestQueue.PATIENCE)).isTrue();
            }
            assertThat(worker.stats().failed()).isZero();
        }
    }

    @Test
    @NeedsOneCopy("what the copy that is asked does not have yet is left to gc")
    void a_run_whose_database_was_deleted_and_made_again_leaves_no_log_in_the_new_one(TestDatabase database)
            throws Exception {
        assumeFalse(
                database.serverName().contains("PouchDB"), "PouchDB Server goes on to beat for the deleted database");
        CountDownLatch isRunning = new CountDownLatch(1);
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    isRunning.countDown();
                    while (!Thread.interrupted()) {
                        context.log("of a job that is not there");
                        LockSupport.parkNanos(1_000_000);
                    }
                    return null;
                })
                .start()) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            isRunning.await();
            queue.database().delete();
            TestQueue.until(() -> queue.database().createIfMissing()); // CouchDB may be deleting it still
            queue.operations().init();
            TestQueue.until(() -> worker.stats().halted() == 1);
            assertThat(queue.logs().read("email", "1")).isEmpty();
        }
    }

    @Test
    void each_run_adds_to_the_log_and_removing_the_job_removes_it() throws Exception {
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    context.log("run with fence " + context.fence());
                    return null;
                })
                .start()) {
            run("1");
            queue.retryNow("email", "1");
            TestQueue.until(() -> lines("1").size() == 2);
            run("1:x");
            assertThat(worker.stats().failed()).isZero();
        }
        assertThat(lines("1")).hasSize(2).startsWith("run with fence 1").doesNotHaveDuplicates();
        assertThat(lines("1:x")).containsExactly("run with fence 1");
        TestQueue.finished(queue, "email", "1");
        queue.remove("email", "1");
        assertThat(lines("1")).isEmpty();
        assertThat(lines("1:x")).hasSize(1);
    }

    @Test
    void a_job_that_is_added_anew_while_the_old_one_is_being_removed_keeps_its_log(TestDatabase database)
            throws Exception {
        AtomicInteger runs = new AtomicInteger();
        try (Proxy proxy = Proxy.before(database.server());
                JobQueue other = TestQueue.open(proxy.door(database));
                Worker worker = queue.worker()
                        .handler("email", (data, context) -> {
                            context.log("run " + runs.incrementAndGet());
                            return null;
                        })
                        .start()) {
            run("1");
            Held removal = proxy.holdAnswer(
                    request -> request.isBulkWrite() && request.body().contains("\"_deleted\""));
            CompletableFuture<Void> removing = CompletableFuture.runAsync(() -> other.remove("email", "1"));
            removal.awaitArrival();
            run("1");
            assertThat(lines("1")).contains("run 2");
            removal.release();
            removing.join();
            assertThat(worker.stats().failed()).isZero();
        }
        assertThat(lines("1")).containsExactly("run 2");
    }

    @Test
    void a_flood_of_lines_never_makes_the_handler_wait_and_what_was_dropped_is_counted() throws Exception {
        int many = 200_000;
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    for (int i = 0; i < many; i++) {
                        context.log("line " + i);
                    }
                    return null;
                })
                .start()) {
            run("1");
            assertThat(worker.stats().failed()).isZero();
        }
        List<Logs.Chunk> chunks = queue.logs().read("email", "1").toList();
        long kept = chunks.stream().mapToLong(chunk -> chunk.lines().size()).sum();
        long dropped = chunks.stream().mapToLong(Logs.Chunk::dropped).sum();
        assertThat(kept + dropped).isEqualTo(many);
        assertThat(lines("1").get((int) kept - 1)).isEqualTo("line " + (many - 1));
    }

    private List<String> lines(String id) {
        return queue.logs()
                .read("email", id)
                .flatMap(chunk -> chunk.lines().stream())
                .map(Logs.Chunk.Line::text)
                .toList();
    }

    private void run(String id) throws InterruptedException {
        add(id);
        TestQueue.finished(queue, "email", id);
    }

    private void add(String id) {
        queue.add(JobRequest.builder("email").id(id).data(Map.of()).build());
    }
}
