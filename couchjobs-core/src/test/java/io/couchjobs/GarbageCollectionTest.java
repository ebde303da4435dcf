package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.GarbageCollection;
import io.couchjobs.couch.Change;
import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Retention;
import io.couchjobs.worker.Worker;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What a collection removes, what it leaves alone, and what it must not disturb. */
@ServerTest
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class GarbageCollectionTest {
    private TestDatabase where;
    private JobQueue queue;
    private CouchDatabase database;

    @BeforeEach
    void open(TestDatabase testDatabase) {
        where = testDatabase;
        queue = TestQueue.open(testDatabase);
        database = queue.database();
    }

    @AfterEach
    void close() {
        queue.close();
    }

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
            GarbageCollection.Report first = TestQueue.gc(queue).run();
            assertThat(first.jobsDeleted()).isEqualTo(Map.of("email", 3L));
            assertThat(first.tombstonesPurged()).isZero();
            assertThat(first.tombstonesKept()).isGreaterThanOrEqualTo(3);

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
        assertThat(TestQueue.gc(queue).keepTombstones(Duration.ZERO).run().tombstonesPurged())
                .isEqualTo(1);
        assertThatThrownBy(() -> TestQueue.gc(queue).keepTombstones(Duration.ofSeconds(-1)))
                .hasMessageContaining("negative");
    }

    @Test
    void what_was_told_to_stay_stays_though_no_worker_is_registered() throws Exception {
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
    void who_claims_by_hand_works_too() throws Exception {
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

        assertThat(TestQueue.gc(queue).keepTombstones(Duration.ZERO).run().tombstonesPurged())
                .isEqualTo(1);

        assertThat(tombstones()).isEmpty();
        assertThat(queue.add(JobRequest.builder("email").id("1").data(Map.of()).build())
                        .job()
                        .orElseThrow()
                        .rev()
                        .orElseThrow())
                .startsWith("1-");
    }

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
    void what_is_not_ours_is_never_touched() throws Exception {
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
    void a_dead_worker_is_forgotten_and_living_ones_and_owners_are_not() throws Exception {
        long longAgo = Instant.now().minus(Duration.ofMinutes(16)).toEpochMilli();
        put(registration("dead", longAgo));
        put(registration("quiet", Instant.now().minus(Duration.ofMinutes(14)).toEpochMilli()));
        put(registration("owner", longAgo));
        ObjectNode owned = doc("job:email:1").put("status", "running");
        owned.putObject("lock").put("token", "t").put("worker", "owner").put("since", 1);
        put(owned);

        assertThat(TestQueue.gc(queue).dryRun(true).run().workersRemoved()).containsExactly("dead");
        assertThat(TestQueue.gc(queue).run().workersRemoved()).containsExactly("dead");

        assertThat(database.get("worker:dead")).isEmpty();
        assertThat(database.get("worker:quiet")).isPresent();
        assertThat(database.get("worker:owner")).isPresent();
    }

    @Test
    void the_turn_of_a_worker_that_closed_is_kept_for_thirty_days() throws Exception {
        assumeItPurges();
        for (int days : List.of(29, 31)) {
            ObjectNode closed = registration(
                            "joex" + days,
                            Instant.now().minus(Duration.ofDays(days)).toEpochMilli())
                    .put("lastGroup", "a");
            put(closed);
            ObjectNode stored = database.get("worker:joex" + days).orElseThrow();
            database.put(stored.put("_deleted", true));
        }
        TestQueue.gc(queue).run();
        assertThat(database.leaves("worker:joex31")).isEmpty();
        assertThat(database.leaves("worker:joex29")).hasSize(1);
    }

    @Test
    void a_worker_that_was_forgotten_while_it_stood_still_registers_again() throws Exception {
        CountDownLatch registered = new CountDownLatch(1);
        queue.types().setTimeout("slow", Duration.ofSeconds(3));
        try (Worker worker = queue.worker()
                .handler("slow", (data, context) -> registered.await(30, TimeUnit.SECONDS))
                .start()) {
            String id = "worker:" + worker.id();
            put(database.get(id).orElseThrow().put("_deleted", true));

            queue.add(JobRequest.builder("slow").id("1").data(Map.of()).build());

            TestQueue.until(() -> database.get(id).isPresent());
            registered.countDown();
            assertThat(TestQueue.finished(queue, "slow", "1")
                            .result()
                            .orElseThrow()
                            .asBoolean())
                    .isTrue();
        }
    }

    @Test
    void design_documents_of_other_versions_go_unless_a_living_worker_asks_them() throws Exception {
        List<String> current =
                DesignDocument.ALL.stream().map(DesignDocument::versionedName).toList();
        String old = oldDesign("function (doc) { emit(doc._id, 1); }");
        String used = oldDesign("function (doc) { emit(doc._id, 2); }");
        put(doc("_design/jobs-00000000").put("language", "javascript")); // no hash of its content
        ObjectNode worker = registration("older", Instant.now().toEpochMilli());
        worker.putArray("designs").add(used);
        put(worker);

        assertThat(TestQueue.gc(queue).dryRun(true).run().designDocumentsRemoved())
                .containsExactly(old);
        assertThat(TestQueue.gc(queue).run().designDocumentsRemoved()).containsExactly(old);

        List<String> left = new ArrayList<>(current);
        left.addAll(List.of(used, "jobs-00000000"));
        assertThat(new DesignDocuments(queue.database()).installed()).containsExactlyInAnyOrderElementsOf(left);
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

    /** Lets what happened before now have happened that much earlier. */
    private void timePasses(Duration time) {
        ObjectNode document = database.get("_local/couchjobs-gc").orElseThrow();
        document.path("marks")
                .forEach(mark -> ((ObjectNode) mark).put("at", mark.path("at").asLong() - time.toMillis()));
        put(document);
    }

    private void keepNothing(String type) {
        queue.types().change(type, settings -> settings.withRetention(new Retention.Delete()));
    }

    /** PouchDB Server takes a minute for a thousand deleted jobs. */
    private int share() {
        return where.serverName().contains("PouchDB") ? 5 : 1;
    }

    private void run(String type, int jobs) throws InterruptedException {
        queue.addAll(IntStream.range(0, jobs)
                .mapToObj(i -> JobRequest.of(type, Map.of("n", i)))
                .toList());
        try (Worker worker = queue.worker()
                .concurrency(8)
                .handler(type, (data, context) -> null)
                .untilEmpty()
                .start()) {
            worker.awaitStopped();
        }
    }

    private Worker idleWorker() {
        return queue.worker().handler("idle", (data, context) -> null).start();
    }

    private static ObjectNode registration(String id, long at) {
        ObjectNode registration =
                doc("worker:" + id).put("pid", 1).put("beat", 7).put("at", at);
        registration.putArray("types").add("email");
        registration.putArray("designs");
        return registration;
    }

    private String oldDesign(String map) {
        ObjectNode content = JsonNodeFactory.instance.objectNode().put("language", "javascript");
        content.putObject("views").putObject("due").put("map", map);
        String name = "jobs-" + hash(content.toString());
        put(doc("_design/" + name).setAll(content));
        return name;
    }

    private void assumeItPurges() {
        try {
            database.purge(Map.of("nothing", List.of("1-abc")));
        } catch (CouchException cannot) {
            assumeTrue(false, where.serverName() + " cannot purge: " + cannot.reason());
        }
    }

    private Map<String, List<String>> tombstones() {
        return changes(true);
    }

    private Map<String, List<String>> leaves() {
        return changes(false);
    }

    private Map<String, List<String>> changes(boolean deletedOnly) {
        Map<String, List<String>> leaves = new TreeMap<>();
        try (ChangesFeed feed = database.changes(ChangesRequest.normal().styleAllDocs(true))) {
            Optional<Change> next = feed.next(TestQueue.PATIENCE);
            while (next.isPresent()) {
                Change change = next.get();
                if (!deletedOnly || (change.deleted() && !change.id().startsWith("worker:"))) {
                    leaves.put(change.id(), change.revs());
                }
                next = feed.next(TestQueue.PATIENCE);
            }
        }
        return leaves;
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 4);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Stores revisions as a replication does, which may leave conflicts. */
    private void replicate(String... documents) throws Exception {
        Replicated.into(where, documents);
    }

    private static ObjectNode doc(String id) {
        return JsonNodeFactory.instance.objectNode().put("_id", id);
    }

    private ObjectNode put(ObjectNode document) {
        WriteResult written = database.put(document);
        assertThat(written).isInstanceOf(WriteResult.Stored.class);
        return document.put("_rev", ((WriteResult.Stored) written).rev());
    }
}
