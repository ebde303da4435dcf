package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.GarbageCollection;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.FinishedJobs;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.store.FinishedJob;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Retention;
import io.couchjobs.type.TypeSettings;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Which finished jobs are deleted, and which stay. */
@ServerTest
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class RetentionTest extends OpenQueue {
    @Test
    void finished_jobs_stay_for_30_days_where_nothing_is_set() throws Exception {
        one("email", "success", JobStatus.SUCCESS);
        one("email", "failed", JobStatus.FAILED);
        one("email", "cancelled", JobStatus.CANCELLED);
        add("email", "waiting");

        age("email", Duration.ofDays(29));
        assertThat(TestQueue.gc(queue).run().jobsDeleted()).isEmpty();
        age("email", Duration.ofDays(2));
        assertThat(TestQueue.gc(queue).run().jobsDeleted()).isEqualTo(Map.of("email", 3L));
        assertThat(ids("email")).containsExactly("waiting");
    }

    @Test
    void a_misspelled_retention_deletes_nothing_and_is_named() throws Exception {
        put(raw("type:email").put("retention", "Forever").put("failureRetention", "90d"));
        one("email", "success", JobStatus.SUCCESS);
        one("email", "failed", JobStatus.FAILED);
        age("email", Duration.ofDays(40_000));
        assertThat(TestQueue.gc(queue).run().jobsDeleted()).isEmpty();
        assertThat(queue.types().settings("email").problems())
                .containsExactly("retention cannot be \"Forever\"", "failureRetention cannot be \"90d\"");
    }

    @Test
    void a_type_can_have_its_succeeded_jobs_deleted_at_once_and_what_failed_stays() throws Exception {
        queue.types().change("email", settings -> settings.withRetention(new Retention.Delete()));
        one("email", "success", JobStatus.SUCCESS);
        one("email", "failed", JobStatus.FAILED);
        one("email", "cancelled", JobStatus.CANCELLED);
        one("other", "success", JobStatus.SUCCESS);
        add("email", "waiting");
        add("email", "running");
        ClaimedJob running = accept("email", "running");

        GarbageCollection.Report report = TestQueue.gc(queue).run();

        assertThat(report.jobsDeleted()).isEqualTo(Map.of("email", 1L));
        assertThat(ids("email")).containsExactlyInAnyOrder("failed", "cancelled", "waiting", "running");
        assertThat(ids("other")).containsExactly("success");
        running.finish();
        assertThat(queue.get("email", "running").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void a_job_stays_long_enough_for_who_waits_for_it_to_hear_of_its_finish() throws Exception {
        queue.types().change("email", settings -> settings.withRetention(new Retention.Delete()));
        one("email", "1", JobStatus.SUCCESS);
        Instant finished = queue.get("email", "1").orElseThrow().times().get("finished");

        queue.operations().gc().run();

        assertThat(queue.get("email", "1")).isEmpty();
        assertThat(Duration.between(finished, Instant.now())).isGreaterThan(Duration.ofMillis(4500));
    }

    @Test
    void the_newest_by_finish_stay_however_long_ago_they_were_created() throws Exception {
        queue.types().change("email", settings -> settings.withRetention(new Retention.Newest(2)));
        add("email", "created-first-finished-last");
        for (String id : List.of("a", "b", "c")) {
            one("email", id, JobStatus.SUCCESS);
        }
        accept("email", "created-first-finished-last").finish();
        one("email", "failed", JobStatus.FAILED);

        assertThat(TestQueue.gc(queue).run().jobsDeleted()).isEqualTo(Map.of("email", 2L));
        assertThat(ids("email")).containsExactlyInAnyOrder("created-first-finished-last", "c", "failed");
        assertThat(TestQueue.gc(queue).run().jobsDeleted()).isEmpty();
    }

    @Test
    void for_ever_is_for_ever_and_failures_can_have_a_time_of_their_own() throws Exception {
        queue.types().change("email", settings -> settings.withRetention(new Retention.Forever())
                .withFailureRetention(new Retention.For(Duration.ofHours(1))));
        one("email", "success", JobStatus.SUCCESS);
        one("email", "failed", JobStatus.FAILED);

        age("email", Duration.ofDays(10_000));
        TestQueue.gc(queue).run();

        assertThat(ids("email")).containsExactly("success");
    }

    @Test
    void failures_stay_at_least_as_long_as_what_succeeded() {
        TypeSettings none = TypeSettings.none("email");
        Retention days30 = new Retention.For(Duration.ofDays(30));
        Retention days90 = new Retention.For(Duration.ofDays(90));
        assertThat(none.retention()).isEqualTo(days30);
        assertThat(none.withRetention(new Retention.Delete()).failureRetention())
                .isEqualTo(days30);
        assertThat(none.withRetention(new Retention.Newest(5)).failureRetention())
                .isEqualTo(days30);
        assertThat(none.withRetention(days90).failureRetention()).isEqualTo(days90);
        assertThat(none.withRetention(new Retention.Forever()).retentionOf(JobStatus.CANCELLED))
                .isEqualTo(new Retention.Forever());
    }

    @Test
    void retentions_survive_the_database_and_nonsense_written_by_people_counts_as_not_set() {
        for (Retention retention : List.of(
                new Retention.Delete(),
                new Retention.Forever(),
                new Retention.Newest(7),
                new Retention.For(Duration.ofHours(5)))) {
            queue.types().change("email", settings -> settings.withRetention(retention));
            assertThat(queue.types().settings("email").retention()).isEqualTo(retention);
        }
        for (String nonsense :
                List.of("\"soon\"", "-1", "{\"newest\":0}", "{\"newest\":1e99}", "{\"time\":-5}", "[]")) {
            assertThat(Retention.parse(json(nonsense))).as(nonsense).isEmpty();
        }
        assertThatThrownBy(() -> new Retention.Newest(0)).hasMessageContaining("at least 1");
        assertThatThrownBy(() -> new Retention.For(Duration.ZERO)).hasMessageContaining("from 1 s");
    }

    @Test
    void a_job_that_is_added_again_in_the_moment_of_its_deletion_stays() throws Exception {
        one("email", "1", JobStatus.SUCCESS);
        FinishedJobs finished = new FinishedJobs(new JobIndex(new DesignDocuments(queue.database())));
        Instant now = Instant.now().plusSeconds(5);
        FinishedJobs.Range range = finished.expendable("email", JobStatus.SUCCESS, new Retention.Delete(), now, now)
                .orElseThrow();
        List<FinishedJob> rows = finished.page(range, null, 10);
        assertThat(rows).hasSize(1);

        add("email", "1");

        try (JobStore store = Stores.of(queue.database())) {
            assertThat(store.retire(rows)).isEmpty();
        }
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
    }

    @Test
    void a_job_that_somebody_finished_without_a_time_stays_unless_its_type_keeps_nothing() throws Exception {
        TestQueue.assumeThatAnythingCanBeStored();
        put(raw("job:email:undated").put("status", "success"));
        ObjectNode otherTimes = raw("job:email:other-times").put("status", "success");
        otherTimes.putObject("times").put("created", 1000).put("ended", 2000);
        put(otherTimes);
        put(raw("job:email:malformed").put("status", "success").put("attempt", "x"));

        TestQueue.gc(queue).run();
        assertThat(documents())
                .contains("job:email:undated", "job:email:malformed")
                .doesNotContain("job:email:other-times");

        queue.types().change("email", settings -> settings.withRetention(new Retention.Delete()));
        TestQueue.gc(queue).run();
        assertThat(documents()).contains("job:email:malformed").doesNotContain("job:email:undated");
    }

    @Test
    @NeedsOneCopy("the position that is told depends on the copies that were asked")
    void more_than_a_batch_is_deleted_in_pages_and_a_dry_run_counts_the_same_without_writing() throws Exception {
        queue.types().change("email", settings -> settings.withRetention(new Retention.Newest(30)));
        for (int i = 0; i < 700; i++) {
            ObjectNode job = raw("job:email:" + i).put("status", i % 2 == 0 ? "success" : "cancelled");
            job.putObject("times").put("finished", 1_000_000L + i);
            put(job);
        }
        String before = queue.database().currentSeq();

        GarbageCollection.Report dry = TestQueue.gc(queue).dryRun(true).run();

        assertThat(queue.database().currentSeq()).isEqualTo(before);
        assertThat(dry.jobsDeleted()).isEqualTo(Map.of("email", 350L - 30 + 350));
        assertThat(TestQueue.gc(queue).run().jobsDeleted()).isEqualTo(dry.jobsDeleted());
        assertThat(ids("email")).hasSize(30).contains("698", "640").doesNotContain("638", "699");
    }

    @Test
    void a_finished_job_stays_while_another_waits_for_it_and_for_one_that_is_not_finished() throws Exception {
        queue.types().change("email", settings -> settings.withRetention(new Retention.Delete()));
        add("email", "first");
        add("slow", "second");
        queue.add(JobRequest.builder("report")
                .id("last")
                .data(Map.of())
                .after(new JobId("email", "first"))
                .after(new JobId("slow", "second"))
                .build());
        accept("email", "first").finish();

        assertThat(TestQueue.gc(queue).run().jobsDeleted()).isEmpty();
        assertThat(queue.get("email", "first")).isPresent();

        accept("slow", "second").finish();
        runReports();
        assertThat(queue.get("report", "last").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(TestQueue.gc(queue).run().jobsDeleted()).isEqualTo(Map.of("email", 1L));
    }

    @Test
    void a_job_that_retention_deleted_counts_as_what_it_was_for_who_asks_too_late() throws Exception {
        queue.types().change("email", settings -> settings.withRetention(new Retention.Delete()));
        one("email", "first", JobStatus.SUCCESS);
        try (Worker keepsTombstones =
                queue.worker().handler("idle", (data, context) -> null).start()) {
            TestQueue.gc(queue).run();
            assertThat(keepsTombstones.stats().running()).isZero();
        }
        assertThat(queue.get("email", "first")).isEmpty();

        queue.add(JobRequest.builder("report")
                .id("last")
                .data(Map.of())
                .after(new JobId("email", "first"))
                .build());
        runReports();

        assertThat(queue.get("report", "last").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void the_log_of_a_job_goes_with_it_and_one_that_a_crash_left_behind_goes_too() throws Exception {
        queue.types().change("email", settings -> settings.withRetention(new Retention.Delete()));
        add("email", "1");
        add("kept", "2");
        try (Worker worker = queue.worker()
                .handler("email", ObjectNode.class, (data, context) -> {
                    context.log("one line");
                    return null;
                })
                .handler("kept", ObjectNode.class, (data, context) -> {
                    context.log("another line");
                    return null;
                })
                .untilEmpty()
                .start()) {
            worker.awaitStopped();
        }
        ObjectNode orphan = raw("log:email:gone:0000000000000001:00000001");
        put(orphan);
        put(raw("log:of-somebody-else"));
        assertThat(queue.logs().read("email", "1")).isNotEmpty();

        TestQueue.gc(queue).run();

        assertThat(queue.logs().read("email", "1")).isEmpty();
        assertThat(queue.logs().read("kept", "2")).isNotEmpty();
        assertThat(documents())
                .contains("log:of-somebody-else")
                .doesNotContain(orphan.path("_id").asText());
    }

    private void runReports() throws InterruptedException {
        try (Worker worker =
                queue.worker().handler("report", (data, context) -> "done").start()) {
            TestQueue.finished(queue, "report", "last");
            assertThat(worker.id()).isNotEmpty();
        }
    }

    /** Lets the jobs of a type have finished that much longer ago. */
    private void age(String type, Duration by) {
        for (JobId id : queue.all(type).map(Job::id).toList()) {
            ObjectNode document = queue.database().get(id.docId()).orElseThrow();
            ObjectNode times = (ObjectNode) document.get("times");
            if (times.has("finished")) {
                times.put("finished", times.get("finished").asLong() - by.toMillis());
                put(document);
            }
        }
    }

    private void one(String type, String id, JobStatus end) throws InterruptedException {
        add(type, id);
        switch (end) {
            case SUCCESS -> accept(type, id).finish(Map.of("done", true));
            case FAILED -> accept(type, id).fail(JobError.Kind.FAILED, "no", null, true);
            default -> queue.cancel(type, id, CancelMode.IF_QUEUED);
        }
        assertThat(queue.get(type, id).orElseThrow().status()).isEqualTo(end);
    }

    private ClaimedJob accept(String type, String id) throws InterruptedException {
        List<ClaimedJob> others = new ArrayList<>();
        ClaimedJob claim = queue.accept(AcceptOptions.of(type)).get(0);
        while (!claim.id().id().equals(id)) {
            others.add(claim);
            claim = queue.accept(AcceptOptions.of(type)).get(0);
        }
        others.forEach(ClaimedJob::release);
        return claim;
    }

    private void add(String type, String id) {
        queue.add(JobRequest.builder(type).id(id).data(Map.of()).build());
    }

    private List<String> ids(String type) {
        return queue.all(type).map(Job::id).map(JobId::id).toList();
    }

    private List<String> documents() {
        return queue.database().view(io.couchjobs.couch.ViewQuery.allDocs()).rows().stream()
                .map(row -> String.valueOf(row.id()))
                .toList();
    }

    private void put(ObjectNode document) {
        assertThat(queue.database().put(document)).isInstanceOf(WriteResult.Stored.class);
    }

    private static ObjectNode raw(String docId) {
        return JsonNodeFactory.instance.objectNode().put("_id", docId);
    }

    private static com.fasterxml.jackson.databind.JsonNode json(String text) {
        try {
            return new com.fasterxml.jackson.databind.ObjectMapper().readTree(text);
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
    }
}
