package io.couchjobs.admin;

import static io.couchjobs.testing.TestQueue.PATIENCE;
import static io.couchjobs.testing.TestQueue.finished;
import static io.couchjobs.testing.TestQueue.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.ScopeConfig;
import io.couchjobs.scope.ScopeService;
import io.couchjobs.scope.Scopes;
import io.couchjobs.scope.Submission;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SourceDatabases;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.type.Limit;
import io.couchjobs.type.Retention;
import io.couchjobs.type.RetryPolicy;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All that a queue does, in a database that refuses everything else: by users who have one role each. */
@ServerTest
@Timeout(120)
@SuppressWarnings("try")
class GuardedLifeTest {
    private SecuredQueue secured;
    private JobQueue producer;
    private JobQueue worker;
    private JobQueue admin;

    @BeforeEach
    void secure(TestDatabase database) {
        secured = new SecuredQueue(database);
        producer = secured.as(QueueSecurity.Role.PRODUCER);
        worker = secured.as(QueueSecurity.Role.WORKER);
        admin = secured.as(QueueSecurity.Role.ADMIN);
    }

    @AfterEach
    void close() {
        secured.close();
    }

    @Test
    void jobs_are_run_retried_failed_and_cancelled() throws Exception {
        admin.types()
                .change(
                        "email",
                        settings -> settings.withRetryPolicy(
                                new RetryPolicy(1, Duration.ofMillis(1), Duration.ofMillis(1))));
        producer.add(request("good"));
        producer.add(request("bad"));
        producer.add(request("unwanted"));
        producer.cancel("email", "unwanted", CancelMode.IF_QUEUED);
        producer.add(request("late"));
        producer.setPriority("email", "late", 80);
        try (Worker running = worker.worker()
                .handler("email", (data, context) -> {
                    context.log("at work");
                    context.progress(50, "half");
                    if (context.id().id().equals("bad")) {
                        throw new IllegalStateException("boom");
                    }
                    return Map.of("by", context.id().id());
                })
                .start()) {
            assertThat(finished(producer, "email", "good").status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(finished(producer, "email", "late").status()).isEqualTo(JobStatus.SUCCESS);
            Job bad = finished(producer, "email", "bad");
            assertThat(bad.status()).isEqualTo(JobStatus.FAILED);
            assertThat(bad.attempt()).isEqualTo(2);
            producer.retryNow("email", "unwanted");
            assertThat(finished(producer, "email", "unwanted").status()).isEqualTo(JobStatus.SUCCESS);
            until(() -> producer.logs().read("email", "good").findAny().isPresent());
        }
        producer.remove("email", "good");
        assertThat(producer.get("email", "good")).isEmpty();
    }

    @Test
    void a_running_job_is_cancelled_by_its_owner_when_a_producer_asks() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        producer.add(request("1"));
        try (Worker running = worker.worker()
                .handler("email", (data, context) -> {
                    started.countDown();
                    new CountDownLatch(1).await();
                    return null;
                })
                .start()) {
            assertThat(started.await(30, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
            producer.cancel("email", "1", CancelMode.REQUEST);
            assertThat(finished(producer, "email", "1").status()).isEqualTo(JobStatus.CANCELLED);
        }
    }

    @Test
    void a_worker_of_another_user_takes_over_from_a_dead_one_which_is_halted() throws Exception {
        admin.types().setTimeout("email", Duration.ofSeconds(1));
        producer.add(request("1"));
        ClaimedJob dead = claim(worker);
        try (Worker other = secured.as(QueueSecurity.Role.WORKER)
                .worker()
                .handler("email", (data, context) -> "taken over")
                .start()) {
            Job job = finished(producer, "email", "1");
            assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(job.expirations()).isPositive();
        }
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> dead.finish("too late"))
                .isInstanceOf(HaltException.class);
    }

    @Test
    void a_worker_starts_though_it_may_not_store_the_timeout_that_its_type_names() throws Exception {
        JobType<ObjectNode> email = JobType.of("email", ObjectNode.class).withTimeout(Duration.ofMinutes(9));
        producer.add(request("1"));

        try (Worker running =
                worker.worker().handler(email, (data, context) -> "done").start()) {
            assertThat(finished(producer, "email", "1").status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(running.stats().failed()).isZero();
        }
        assertThat(admin.types().timeout("email")).isEmpty();
        admin.types().define(email);
        assertThat(admin.types().timeout("email")).contains(Duration.ofMinutes(9));
    }

    @Test
    void an_owner_snoozes_releases_resubmits_and_replaces_data() throws Exception {
        producer.add(request("1"));
        ClaimedJob claim = claim(worker);
        claim.update(Map.of("n", 2));
        producer.add(request("1")); // runs once more afterwards
        claim.finishAndReplaceData(Map.of("n", 3), "done");
        assertThat(producer.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
        claim(worker).release();
        ClaimedJob last = claim(worker);
        last.finish();
        last.resubmit(java.time.Instant.EPOCH, Map.of("n", 4));
        assertThat(producer.data("email", "1").orElseThrow().path("n").asInt()).isEqualTo(4);
    }

    @Test
    void triggers_are_followed_by_workers_and_changed_by_administrators_only() throws Exception {
        Trigger notes = Trigger.named("notes")
                .source(admin.database().name())
                .prefixes("note-")
                .type("email")
                .build();
        admin.triggers().put(notes);
        assertThat(worker.triggers().put(notes).name()).isEqualTo("notes");
        assertThatThrownBy(() -> producer.triggers()
                        .put(Trigger.named("others")
                                .source(admin.database().name())
                                .prefixes("other-")
                                .type("email")
                                .build()))
                .isInstanceOf(WriteRefusedException.class);
        try (Worker running =
                worker.worker().handler("email", (data, context) -> null).start()) {
            String unused = SourceDatabases.save(producer.database(), "{'_id':'note-1'}");
            TestQueue.until(() -> running.stats().succeeded() == 1);
            unused = SourceDatabases.change(producer.database(), "note-1", "text", "more");
            TestQueue.until(() -> running.stats().succeeded() == 2);
        }
        for (JobQueue other : List.of(worker, producer)) {
            assertThatThrownBy(() -> other.triggers().pause("notes"))
                    .isInstanceOf(WriteRefusedException.class)
                    .hasMessageContaining("couchjobs-admin");
        }
    }

    @Test
    void schedules_tick_and_limits_hold() throws Exception {
        admin.schedules()
                .put(Schedule.named("often")
                        .every(Duration.ofSeconds(1))
                        .job(JobRequest.of("email", Map.of()))
                        .build());
        admin.types().change("email", settings -> settings.with(Limit.RUNNING, 1));
        CountDownLatch runs = new CountDownLatch(1);
        try (Worker running = worker.worker()
                .handler("email", (data, context) -> {
                    runs.countDown();
                    return null;
                })
                .start()) {
            assertThat(runs.await(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
        }
        Job now = producer.schedules().runNow("often");
        assertThat(producer.get(now.id().type(), now.id().id())).isPresent();
        admin.schedules().remove("often");
    }

    @Test
    void scopes_take_run_and_refuse_jobs() throws Exception {
        Scope scope = Scope.of("index", 1);
        try (Scopes.Host host =
                worker.scopes().serve(ScopeService.of("index", ObjectNode.class, (data, context) -> "indexed"))) {
            worker.scopes().start(scope, ScopeConfig.DEFAULTS.concurrency(1));
            JobRequest page = JobRequest.builder("index").id("p").data(Map.of()).build();
            assertThat(producer.scopes().submit(scope, page).answers()).containsEntry(scope, Submission.Answer.OK);
            assertThat(finished(producer, "index@1", "p").status()).isEqualTo(JobStatus.SUCCESS);
            worker.scopes().stop(scope, Duration.ZERO);
            assertThat(producer.scopes()
                            .submit(scope, JobRequest.of("index", Map.of()))
                            .answers())
                    .containsEntry(scope, Submission.Answer.SCOPE_SHUTDOWN);
            until(() -> producer.scopes().stats(scope).rejected() == 1);
        }
    }

    @Test
    void a_held_job_is_let_go() throws Exception {
        producer.add(request("first"));
        producer.add(JobRequest.builder("email")
                .id("second")
                .data(Map.of())
                .after(new io.couchjobs.job.JobId("email", "first"))
                .build());
        try (Worker running =
                worker.worker().handler("email", (data, context) -> null).start()) {
            assertThat(finished(producer, "email", "second").status()).isEqualTo(JobStatus.SUCCESS);
        }
    }

    @Test
    void workers_delete_what_retention_lets_go() throws Exception {
        admin.types().change("email", settings -> settings.withRetention(new Retention.Delete()));
        producer.add(request("1"));
        claim(worker).finish();
        TestQueue.gc(worker).run();
        assertThat(producer.get("email", "1")).isEmpty();
    }

    @Test
    void an_administrator_of_the_queue_may_not_purge_and_has_the_rest_done(TestDatabase database) throws Exception {
        assumeTrue(!database.serverName().contains("PouchDB"), "PouchDB has no _purge");
        admin.types().change("email", settings -> settings.withRetention(new Retention.Delete()));
        producer.add(request("1"));
        claim(worker).finish();

        GarbageCollection.Report report = TestQueue.gc(admin).run();

        assertThat(report.jobsDeleted()).isEqualTo(Map.of("email", 1L));
        assertThat(report.tombstonesPurged()).isZero();
        assertThat(report.problems())
                .singleElement()
                .asString()
                .startsWith("tombstones cannot be purged: that takes an administrator of the server (401 ");
    }

    @Test
    void workers_resolve_conflicts(TestDatabase database) throws Exception {
        assumeTrue(
                !database.serverName().contains("PouchDB"),
                "PouchDB Server validates a write against the winning leaf, not against the one that it replaces");
        Replicated.into(
                secured.replicatingAs(secured.user(QueueSecurity.Role.ADMIN)),
                leaf(2, 'a', "'status':'waiting','n':1"),
                leaf(
                        3,
                        'b',
                        "'status':'running','n':2,'fence':1,'lock':{'token':'t','worker':'w','since':1,"
                                + "'withdrawn':{'at':5,'reason':'no quorum'}}"));
        assertThat(worker.operations().resolve("job:email:1")).isTrue();
        assertThat(worker.operations().conflicts()).isEmpty();
        assertThat(worker.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
    }

    @Test
    void an_administrator_imports_jobs_as_they_were() {
        Job copy = Jobs.job("'status':'success','result':5,'attempt':2,'fence':2");
        assertThat(producer.operations().restore(List.of(copy)))
                .extracting(AddResult::outcome)
                .containsExactly(AddResult.Outcome.REJECTED);
        assertThat(admin.operations().restore(List.of(copy)))
                .extracting(AddResult::outcome)
                .containsExactly(AddResult.Outcome.ADDED);
    }

    private static ObjectNode leaf(int generation, char revision, String fields) {
        return Jobs.json("{'_id':'job:email:1','_rev':'" + generation + "-"
                + String.valueOf(revision).repeat(32) + "'," + fields + "}");
    }

    private static JobRequest request(String id) {
        return JobRequest.builder("email").id(id).data(Map.of("n", 1)).build();
    }

    private static ClaimedJob claim(JobQueue queue) throws InterruptedException {
        return queue.accept(AcceptOptions.of("email").timeout(PATIENCE)).get(0);
    }
}
