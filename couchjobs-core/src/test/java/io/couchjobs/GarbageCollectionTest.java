package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.GarbageCollection;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Retention;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What a collection removes, what it leaves alone, and what it must not disturb. */
@ServerTest
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class GarbageCollectionTest extends CollectedQueue {
    @Test
    void a_finished_job_with_conflicts_stays_until_they_are_resolved() throws Exception {
        keepNothing("email");
        replicate(
                "{'_id':'job:email:1','_revisions':{'start':2,'ids':['b','r']},'status':'success'}",
                "{'_id':'job:email:1','_revisions':{'start':2,'ids':['a','r']},'status':'waiting'}");

        assertThat(TestQueue.gc(queue).run().jobsDeleted()).isEmpty();

        put(doc("job:email:1").put("_rev", "2-a").put("_deleted", true));
        assertThat(TestQueue.gc(queue).run().jobsDeleted()).isEqualTo(Map.of("email", 1L));
        assertThat(database.get("job:email:1")).isEmpty();
    }

    @Test
    void a_document_that_is_not_ours_is_never_touched() throws Exception {
        ObjectNode invoice = doc("invoice:1").put("status", "success");
        invoice.putObject("times").put("finished", 1);
        put(invoice);
        put(doc("worker:of-somebody-else").put("name", "Ada"));
        put(doc("job").put("status", "success"));
        put(doc("jobs:1").put("status", "success"));
        ObjectNode design = doc("_design/jobs-report");
        design.putObject("views").putObject("v").put("map", "function (doc) { emit(doc._id); }");
        put(design);
        for (String gone : List.of("invoice:2", "worker:gone", "job:", "job:typeless", "gc:2")) {
            ObjectNode tombstone = put(doc(gone));
            put(tombstone.put("_deleted", true));
        }
        Map<String, List<String>> before = leaves();

        TestQueue.gc(queue).keepTombstones(Duration.ZERO).run();

        assertThat(leaves()).containsAllEntriesOf(before);
    }

    @Test
    @NeedsOneCopy("the position that is told depends on the copies that were asked")
    void a_dry_run_writes_nothing_and_tells_what_a_run_would_do() throws Exception {
        assumeItPurges();
        keepNothing("email");
        run("email", 20);
        TestQueue.gc(queue).run();
        run("email", 5);
        put(registration("dead", 1));
        String seq = database.currentSeq();
        Optional<ObjectNode> marks = database.get("_local/couchjobs-gc");

        GarbageCollection.Report dry =
                TestQueue.gc(queue).dryRun(true).keepTombstones(Duration.ZERO).run();

        assertThat(database.currentSeq()).isEqualTo(seq);
        assertThat(database.get("_local/couchjobs-gc")).isEqualTo(marks);
        assertThat(dry.dryRun()).isTrue();
        assertThat(dry.jobsDeleted()).isEqualTo(Map.of("email", 5L));
        assertThat(dry.workersRemoved()).containsExactly("dead");
        assertThat(dry.bytesAfter()).isEqualTo(dry.bytesBefore());
        assertThat(TestQueue.gc(queue).run().jobsDeleted()).isEqualTo(dry.jobsDeleted());
    }

    @Test
    @NeedsOneCopy("the copy of the index that is asked may lag behind for a moment")
    void a_collection_that_dies_halfway_leaves_the_rest_to_the_next_one() throws Exception {
        keepNothing("email");
        run("email", 600);
        assertThatThrownBy(() -> TestQueue.gc(queue)
                        .onProgress(progress -> {
                            if (progress.done() > 0) {
                                throw new IllegalStateException("killed");
                            }
                        })
                        .run())
                .hasMessage("killed");
        long left = queue.all("email").count();
        assertThat(left).isPositive().isLessThan(600);

        assertThat(TestQueue.gc(queue).run().jobsDeleted()).isEqualTo(Map.of("email", left));
        assertThat(queue.all("email")).isEmpty();
    }

    @Test
    void collections_at_the_same_time_delete_each_job_once_and_keep_as_many_as_one_would() throws Exception {
        int kept = 100 / share();
        queue.types().change("email", settings -> settings.withRetention(new Retention.Newest(kept)));
        run("email", 11 * kept);

        List<CompletableFuture<GarbageCollection.Report>> runs = IntStream.range(0, 3)
                .mapToObj(i -> CompletableFuture.supplyAsync(this::collectInAQueueOfItsOwn))
                .toList();
        long deleted = 0;
        for (CompletableFuture<GarbageCollection.Report> run : runs) {
            deleted += run.get().jobsDeletedInAll();
        }

        assertThat(deleted).isEqualTo(10L * kept);
        assertThat(queue.all("email")).hasSize(kept);
    }

    @Test
    void many_jobs_are_each_run_once_while_collections_go_on_beside_two_workers() throws Exception {
        int jobs = Integer.getInteger("couchjobs.gc.concurrent", 1500 / share());
        int step = 500 / share();
        keepNothing("email");
        Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
        CountDownLatch all = new CountDownLatch(jobs);
        AtomicBoolean over = new AtomicBoolean();
        try (JobQueue other = TestQueue.open(where);
                Worker one = counting(queue, runs, all);
                Worker two = counting(other, runs, all)) {
            CountDownLatch deleted = new CountDownLatch(1);
            CompletableFuture<Void> collecting = CompletableFuture.runAsync(() -> collectUntil(over, deleted));
            for (int from = 0; from < jobs; from += step) {
                boolean isLast = from + step >= jobs;
                if (isLast) {
                    deleted.await();
                }
                queue.addAll(IntStream.range(from, from + step)
                        .mapToObj(i -> JobRequest.builder("email")
                                .id("job-" + i)
                                .data(Map.of())
                                .build())
                        .toList());
            }
            all.await();
            over.set(true);
            collecting.get();
            assertThat(one.stats().running() + two.stats().running()).isNotNegative();
        }

        assertThat(runs).hasSize(jobs);
        assertThat(runs.values()).allMatch(times -> times.get() == 1);
        TestQueue.gc(queue).run();
        assertThat(queue.all("email")).isEmpty();
    }

    private void collectUntil(AtomicBoolean over, CountDownLatch deleted) {
        try {
            while (!over.get()) {
                if (TestQueue.gc(queue).run().jobsDeletedInAll() > 0) {
                    deleted.countDown();
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            deleted.countDown(); // who waits for the end hears of a failure
        }
    }

    private static Worker counting(JobQueue queue, Map<String, AtomicInteger> runs, CountDownLatch all) {
        return queue.worker()
                .concurrency(8)
                .handler("email", (data, context) -> {
                    runs.computeIfAbsent(context.id().id(), id -> new AtomicInteger())
                            .incrementAndGet();
                    all.countDown();
                    return null;
                })
                .start();
    }

    private GarbageCollection.Report collectInAQueueOfItsOwn() {
        try (JobQueue own = TestQueue.open(where)) {
            return TestQueue.gc(own).run();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @NeedsOneCopy("tombstones are purged on one node")
    void slots_that_were_given_back_leave_nothing_for_ever() throws Exception {
        assumeItPurges();
        ObjectNode slot = put(doc("slot:email:g:0:customer-1").put("token", "t"));
        put(slot.put("_deleted", true));
        put(put(doc("slot:room-7")).put("_deleted", true));

        TestQueue.gc(queue).keepTombstones(Duration.ZERO).run();

        assertThat(leaves()).doesNotContainKey("slot:email:g:0:customer-1").containsKey("slot:room-7");
    }
}
