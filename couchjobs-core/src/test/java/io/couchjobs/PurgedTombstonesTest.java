package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.admin.GarbageCollection;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Which tombstones a collection purges, and how long the others stay. */
@ServerTest
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class PurgedTombstonesTest extends CollectedQueue {
    @Test
    @NeedsOneCopy("the copy that is asked for what is deleted may lag behind for a moment")
    void while_nobody_works_the_tombstones_of_finished_jobs_go_at_once() throws Exception {
        assumeItPurges();
        keepNothing("email");
        run("email", 250);

        GarbageCollection.Report report = TestQueue.gc(queue).run();

        assertThat(report.jobsDeleted()).isEqualTo(Map.of("email", 250L));
        assertThat(report.tombstonesPurged()).isGreaterThanOrEqualTo(250);
        assertThat(report.problems()).isEmpty();
        assertThat(tombstones()).isEmpty();
        assertThat(database.info().deletedDocCount()).isZero();
        assertThat(TestQueue.gc(queue).run().tombstonesPurged()).isZero();
    }

    @Test
    void while_a_worker_lives_they_stay_until_they_are_older_than_its_memory() throws Exception {
        assumeItPurges();
        keepNothing("email");
        run("email", 3);
        try (Worker worker = idleWorker()) {
            TestQueue.until(() -> {
                GarbageCollection.Report first = TestQueue.gc(queue).run();
                assertThat(first.tombstonesPurged()).isZero();
                return first.tombstonesKept() >= 3;
            });

            // The first collection left a mark, which is nine minutes old, and then eleven.
            timePasses(Duration.ofMinutes(9));
            assertThat(TestQueue.gc(queue).run().tombstonesPurged()).isZero();
            queue.add(JobRequest.builder("other").id("young").data(Map.of()).build());
            queue.remove("other", "young");
            timePasses(Duration.ofMinutes(2));
            GarbageCollection.Report later = TestQueue.gc(queue).run();

            assertThat(later.tombstonesPurged()).isGreaterThanOrEqualTo(3);
            // A copy may purge later than the others.
            TestQueue.until(() -> tombstones().keySet().equals(Set.of("job:other:young")));
            assertThat(worker.stats().running()).isZero();
        }
    }

    @Test
    @NeedsOneCopy("the copy that is asked for what is deleted may lag behind for a moment")
    void a_job_that_was_removed_while_somebody_ran_it_cannot_come_back_by_a_late_finish() throws Exception {
        assumeItPurges();
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        ClaimedJob claim = queue.accept(AcceptOptions.of("email")).get(0);
        queue.remove("email", "1");

        // Nobody is registered, but this claim was made by hand: that the job had finished, its tombstone does not say.
        assertThat(TestQueue.gc(queue).run().tombstonesPurged()).isZero();

        assertThatThrownBy(claim::finish).isInstanceOf(HaltException.class);
        assertThat(queue.get("email", "1")).isEmpty();
        timePasses(Duration.ofMinutes(11));
        assertThat(TestQueue.gc(queue).run().tombstonesPurged()).isEqualTo(1);
        assertThat(tombstones()).isEmpty();
    }

    @Test
    void tombstones_can_be_kept_for_a_time_of_ones_own_or_not_at_all() throws Exception {
        assumeItPurges();
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        queue.remove("email", "1");
        TestQueue.gc(queue).run();

        GarbageCollection monthly = TestQueue.gc(queue).keepTombstones(Duration.ofDays(30));
        assertThat(monthly.run().tombstonesPurged()).isZero();
        TestQueue.until(
                () -> TestQueue.gc(queue).keepTombstones(Duration.ZERO).run().tombstonesPurged() == 1);
        assertThatThrownBy(() -> TestQueue.gc(queue).keepTombstones(Duration.ofSeconds(-1)))
                .hasMessageContaining("negative");
    }

    @Test
    void a_tombstone_that_was_told_to_stay_stays_though_no_worker_is_registered() throws Exception {
        assumeItPurges();
        keepNothing("email");
        run("email", 1);
        TestQueue.gc(queue).keepTombstones(Duration.ofDays(60)).run();
        assertThat(tombstones()).isNotEmpty();

        timePasses(Duration.ofDays(59));
        assertThat(TestQueue.gc(queue).keepTombstones(Duration.ofDays(60)).run().tombstonesPurged())
                .isZero();
        timePasses(Duration.ofDays(2));
        assertThat(TestQueue.gc(queue).keepTombstones(Duration.ofDays(60)).run().tombstonesPurged())
                .isPositive();
    }

    @Test
    void no_tombstone_goes_before_the_longest_lease_is_over() throws Exception {
        assumeItPurges();
        queue.types().setTimeout("slow", Duration.ofMinutes(30));
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        queue.remove("email", "1");
        TestQueue.gc(queue).run();

        timePasses(Duration.ofMinutes(59));
        assertThat(TestQueue.gc(queue).run().tombstonesPurged()).isZero();
        timePasses(Duration.ofMinutes(2));
        assertThat(TestQueue.gc(queue).run().tombstonesPurged()).isEqualTo(1);
    }

    @Test
    void a_process_that_claims_by_hand_counts_as_at_work_too() throws Exception {
        assumeItPurges();
        keepNothing("email");
        run("email", 3);
        queue.add(JobRequest.builder("other").id("1").data(Map.of()).build());
        ClaimedJob claim = queue.accept(AcceptOptions.of("other")).get(0);

        assertThat(TestQueue.gc(queue).run().tombstonesPurged()).isZero();
        claim.finish();
        assertThat(TestQueue.gc(queue).run().tombstonesPurged()).isGreaterThanOrEqualTo(3);
    }

    @Test
    void a_tombstone_that_a_held_job_has_yet_to_see_stays() throws Exception {
        assumeItPurges();
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        queue.remove("email", "1");
        queue.add(JobRequest.builder("report")
                .id("last")
                .data(Map.of())
                .after(new JobId("email", "1"))
                .build());

        TestQueue.gc(queue).keepTombstones(Duration.ZERO).run();
        assertThat(tombstones()).containsOnlyKeys("job:email:1");

        try (Worker worker = idleWorker()) {
            assertThat(TestQueue.finished(queue, "report", "last").status()).isEqualTo(JobStatus.CANCELLED);
            assertThat(worker.stats().running()).isZero();
        }
        TestQueue.gc(queue).keepTombstones(Duration.ZERO).run();
        assertThat(tombstones()).isEmpty();
    }

    @Test
    void a_collection_comes_to_an_end_although_others_go_on_deleting() throws Exception {
        assumeItPurges();
        AtomicInteger deleted = new AtomicInteger();
        addAndRemove(deleted.incrementAndGet());

        TestQueue.gc(queue)
                .keepTombstones(Duration.ZERO)
                .onProgress(progress -> {
                    if (progress.step().startsWith("purging") && deleted.get() < 50) {
                        addAndRemove(deleted.incrementAndGet());
                    }
                })
                .run();

        assertThat(deleted.get()).isLessThan(10);
    }

    private void addAndRemove(int id) {
        queue.add(JobRequest.builder("email").id("" + id).data(Map.of()).build());
        queue.remove("email", "" + id);
    }

    @Test
    @NeedsOneCopy("the copy that is asked for what is deleted may lag behind for a moment")
    void a_purge_names_every_leaf() throws Exception {
        assumeItPurges();
        replicate(
                "{'_id':'job:email:1','_revisions':{'start':2,'ids':['a','r']},'_deleted':true}",
                "{'_id':'job:email:1','_revisions':{'start':2,'ids':['b','r']},'_deleted':true}",
                "{'_id':'job:email:1','_revisions':{'start':3,'ids':['c','d','r']},'_deleted':true}");
        assertThat(tombstones().get("job:email:1")).hasSize(3);

        TestQueue.until(
                () -> TestQueue.gc(queue).keepTombstones(Duration.ZERO).run().tombstonesPurged() == 1);

        assertThat(tombstones()).isEmpty();
        assertThat(queue.add(JobRequest.builder("email").id("1").data(Map.of()).build())
                        .job()
                        .orElseThrow()
                        .rev()
                        .orElseThrow())
                .startsWith("1-");
    }
}
