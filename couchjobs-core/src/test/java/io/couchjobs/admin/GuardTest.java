package io.couchjobs.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.schedule.ScheduleRequest;
import io.couchjobs.schedule.Schedules;
import io.couchjobs.scope.Scope;
import io.couchjobs.testing.Deep;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the database refuses to whom, in what words, and that it lets in what replication brings. */
@ServerTest
@Timeout(120)
class GuardTest {
    private SecuredQueue secured;

    @BeforeEach
    void secure(TestDatabase database) {
        secured = new SecuredQueue(database);
    }

    @AfterEach
    void close() {
        secured.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {501, 1190, 18_000})
    void a_document_that_is_nested_too_deeply_is_refused_to_everybody_whatever_it_is(int levels) throws Exception {
        for (QueueSecurity.Role role : List.of(QueueSecurity.Role.ADMIN, QueueSecurity.Role.PRODUCER)) {
            TestDatabase database = secured.replicatingAs(secured.user(role));
            for (String id : List.of("job:email:" + role, role.toString())) {
                HttpResponse<String> answer = Deep.put(database, id, Deep.document("data", levels));
                assumeFalse(answer.statusCode() == 400, "the server stores no such document");
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(403);
                assertThat(answer.body()).contains("couchjobs: this document is nested deeper than 500 levels");
                answer = Deep.put(database, id, Deep.document("data", 500));
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
            }
        }
    }

    @Test
    void only_administrators_change_settings_and_schedules() {
        ScheduleRequest nightly = Schedule.named("nightly")
                .cron("0 3 * * *")
                .job(JobRequest.of("email", Map.of()))
                .build();
        for (JobQueue queue : List.of(secured.as(QueueSecurity.Role.PRODUCER), secured.as(QueueSecurity.Role.WORKER))) {
            refuses(() -> queue.types().setTimeout("email", Duration.ofSeconds(1)))
                    .hasMessageContaining("may not change the settings of types")
                    .hasMessageContaining("couchjobs-admin");
            refuses(() -> queue.types().change("email", settings -> settings.withPaused(true)));
            refuses(() -> queue.schedules().put(nightly)).hasMessageContaining("may not change schedules");
        }
        JobQueue admin = secured.as(QueueSecurity.Role.ADMIN);
        admin.types().setTimeout("email", Duration.ofSeconds(1));
        admin.schedules().put(nightly);
        assertThat(secured.as(QueueSecurity.Role.WORKER)
                        .schedules()
                        .put(nightly)
                        .outcome())
                .isEqualTo(Schedules.PutResult.Outcome.UNCHANGED);
        refuses(() -> secured.as(QueueSecurity.Role.WORKER).schedules().disable("nightly"));
        refuses(() -> secured.as(QueueSecurity.Role.WORKER).schedules().remove("nightly"));
        refuses(() -> secured.as(QueueSecurity.Role.PRODUCER).types().clearTimeout("email"));
    }

    @Test
    void a_producer_cannot_claim_and_is_told_what_that_needs() {
        JobQueue producer = secured.as(QueueSecurity.Role.PRODUCER);
        producer.add("email", Map.of());
        assertThatThrownBy(() -> producer.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                .isInstanceOf(WriteRefusedException.class)
                .hasMessageContaining("may not claim jobs")
                .hasMessageContaining("couchjobs-worker");
        assertThat(producer.types().pendingCount("email", java.time.Instant.now(), 10))
                .isEqualTo(1);
    }

    @Test
    void a_worker_that_may_not_work_does_not_start() {
        assertThatThrownBy(() -> secured.as(QueueSecurity.Role.PRODUCER)
                        .worker()
                        .handler("email", (data, context) -> null)
                        .start())
                .isInstanceOf(WriteRefusedException.class)
                .hasMessageContaining("couchjobs-worker");
    }

    @Test
    void a_user_without_a_role_may_read_only() {
        JobQueue admin = secured.root();
        admin.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        String reader = secured.userWith("couchjobs-reader");
        ObjectNode security = admin.database().security();
        security.withObject("/members").withArray("roles").add("couchjobs-reader");
        admin.database().putSecurity(security);

        JobQueue queue = secured.as(reader);
        assertThat(queue.get("email", "1")).isPresent();
        refuses(() -> queue.add("email", Map.of())).hasMessageContaining("has none of the roles");
        refuses(() -> queue.setPriority("email", "1", 5)).hasMessageContaining("has none of the roles");
        refuses(() -> queue.remove("email", "1"));
        assertThat(queue.get("email", "1")).isPresent();
    }

    @Test
    void a_worker_cannot_finish_or_rewrite_the_job_of_another_user() throws Exception {
        JobQueue ann = secured.as(QueueSecurity.Role.WORKER);
        JobQueue bob = secured.as(QueueSecurity.Role.WORKER);
        secured.root()
                .add(JobRequest.builder("email").id("1").data(Map.of("n", 1)).build());
        ClaimedJob claim = ann.accept(AcceptOptions.of("email").timeout(Duration.ofSeconds(30)))
                .get(0);
        ObjectNode stolen = claim.job().toDocument();
        stolen.set("data", Jobs.json("{'n':2}"));
        assertThat(refusal(bob, stolen)).contains("does not own this job");
        ObjectNode done = claim.job().toDocument();
        done.put("status", "success").remove("lock");
        assertThat(refusal(bob, done)).contains("does not own this job");
        done.put("_deleted", true);
        assertThat(refusal(bob, done)).contains("may not remove jobs");
        claim.finish("by its owner");
        assertThat(ann.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void attached_data_is_guarded_as_any_other() throws Exception {
        JobQueue worker = secured.as(QueueSecurity.Role.WORKER);
        Map<String, String> large = Map.of("x", "y".repeat(40_000));
        secured.root().add(JobRequest.builder("email").id("1").data(large).build());
        ClaimedJob claim = worker.accept(AcceptOptions.of("email").timeout(Duration.ofSeconds(30)))
                .get(0);
        ObjectNode other = claim.job().toDocument().put("dataDigest", "sha-256=another");
        assertThat(refusal(secured.as(QueueSecurity.Role.PRODUCER), other)).contains("dataDigest");
        assertThat(refusal(secured.as(QueueSecurity.Role.WORKER), other)).contains("does not own this job");
        claim.finish();
        worker.resubmit("email", "1", Instant.EPOCH, Map.of("x", "z".repeat(40_000)));
        assertThat(worker.data("email", "1").orElseThrow().path("x").asText()).startsWith("z");
    }

    @Test
    void a_document_that_cannot_be_a_job_is_refused_to_everybody_and_can_be_deleted_by_any_user_who_may_remove() {
        ObjectNode malformed = Jobs.json("{'_id':'job:email:1','status':'ready'}");
        assertThat(refusal(secured.root(), malformed)).contains("cannot be a job", "status");
        secured.root().operations().security().removeGuard();
        secured.root().database().put(malformed);
        secured.root().operations().security().secure();
        secured.as(QueueSecurity.Role.PRODUCER).remove("email", "1");
        assertThat(secured.root().database().get("job:email:1")).isEmpty();
    }

    @Test
    void one_refused_job_of_a_batch_stops_no_other() {
        JobQueue worker = secured.as(QueueSecurity.Role.WORKER);
        JobRequest known =
                JobRequest.builder("email").id("known").data(Map.of()).build();
        secured.root().add(known);
        JobRequest changed = JobRequest.builder("email")
                .id("known")
                .data(Map.of("n", 2))
                .group("changed")
                .scheduledTime(Jobs.past(5))
                .build();
        List<AddResult> added =
                worker.addAll(List.of(JobRequest.of("email", Map.of()), changed, JobRequest.of("email", Map.of())));
        assertThat(added)
                .extracting(AddResult::outcome)
                .containsExactly(AddResult.Outcome.ADDED, AddResult.Outcome.REJECTED, AddResult.Outcome.ADDED);
        assertThat(added.get(1).problem()).contains("may not change this job so");
    }

    @Test
    void a_worker_may_claim_a_job_whose_time_is_in_seconds() throws Exception {
        secured.as(QueueSecurity.Role.PRODUCER)
                .database()
                .put(Jobs.json("{'_id':'job:email:1','scheduledTime':1600000000}"));
        List<ClaimedJob> claims = secured.as(QueueSecurity.Role.WORKER)
                .accept(AcceptOptions.of("email").timeout(Duration.ZERO));
        assertThat(claims).hasSize(1);
        claims.get(0).finish();
        ObjectNode ended = secured.root().database().get("job:email:1").orElseThrow();
        assertThat(ended.path("scheduledTime").asLong()).isEqualTo(1_600_000_000_000L);
    }

    @Test
    void a_worker_and_a_producer_may_retry_a_job_with_a_reason() {
        for (QueueSecurity.Role role : List.of(QueueSecurity.Role.WORKER, QueueSecurity.Role.PRODUCER)) {
            JobId id = new JobId("email", role.name());
            secured.root()
                    .add(JobRequest.builder("email").id(id.id()).data(Map.of()).build());
            var unused = secured.root().cancel(id, CancelMode.IF_QUEUED);
            Job retried = secured.as(role).retryNow(id, "the mail server is back");
            assertThat(retried.status()).isEqualTo(JobStatus.WAITING);
            assertThat(retried.retryReason()).contains("the mail server is back");
        }
    }

    @Test
    void a_worker_may_not_move_the_time_of_a_job_that_it_claims() {
        JobQueue worker = secured.as(QueueSecurity.Role.WORKER);
        secured.root().database().put(Jobs.json("{'_id':'job:email:1','scheduledTime':1600000000}"));
        ObjectNode claimed =
                Jobs.json("{'_id':'job:email:1','scheduledTime':1600000000001,'status':'running','attempt':1,"
                        + "'fence':1,'lock':{'token':'t','worker':'w'}}");
        claimed.put("_rev", secured.root().get("email", "1").orElseThrow().rev().orElseThrow());
        assertThat(worker.database().put(claimed)).isInstanceOf(WriteResult.Refused.class);
        claimed.put("scheduledTime", 1_600_000_000_000L);
        assertThat(worker.database().put(claimed)).isInstanceOf(WriteResult.Stored.class);
    }

    @Test
    void jobs_that_were_created_offline_come_in_by_the_replication_of_a_producer() throws Exception {
        TestDatabase phone = secured.replicatingAs(secured.user(QueueSecurity.Role.PRODUCER));
        Replicated.into(phone, leaf("1", 3, "'data':{'n':1}"));
        Replicated.into(phone, leaf("2", 2, "'status':'cancelled','data':{'n':1}"));
        assertThat(secured.root().get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
        assertThat(secured.root().get("email", "2").orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void jobs_in_any_state_come_in_by_the_replication_of_an_administrator_alone() throws Exception {
        ObjectNode running = leaf("1", 3, "'status':'running','attempt':1,'fence':1,'lock':{'token':'t','worker':'w'}");
        assertThatThrownBy(() ->
                        Replicated.into(secured.replicatingAs(secured.user(QueueSecurity.Role.PRODUCER)), running))
                .hasMessageContaining("may only create jobs that wait");
        Replicated.into(secured.replicatingAs(secured.user(QueueSecurity.Role.ADMIN)), running);
        assertThat(secured.root().get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.RUNNING);
    }

    @Test
    void a_producer_neither_starts_nor_stops_scopes() {
        refuses(() -> secured.as(QueueSecurity.Role.PRODUCER).scopes().start(Scope.of("index", 1)))
                .hasMessageContaining("may not start or stop scopes");
    }

    @Test
    void a_producer_may_add_marks_to_the_history_and_nothing_else() {
        JobQueue producer = secured.as(QueueSecurity.Role.PRODUCER);
        producer.operations().history().mark("v1.4");
        producer.operations().history().mark("v1.5");
        assertThat(producer.database().put(history("2026-01-01")))
                .isInstanceOfSatisfying(WriteResult.Refused.class, refused -> assertThat(refused.reason())
                        .contains("may only add marks"));

        JobQueue worker = secured.as(QueueSecurity.Role.WORKER);
        assertThat(worker.database().put(history("2026-01-01"))).isInstanceOf(WriteResult.Stored.class);
        worker.operations().history().mark("v1.6");
    }

    private static ObjectNode history(String day) {
        ObjectNode document = JsonNodeFactory.instance.objectNode().put("_id", "stats:" + day);
        document.putObject("hours");
        return document;
    }

    @Test
    void documents_that_are_not_the_queues_are_not_its_business() {
        ObjectNode own = Jobs.json("{'_id':'invoice:1','status':'whatever'}");
        assertThat(secured.as(QueueSecurity.Role.PRODUCER).database().put(own)).isInstanceOf(WriteResult.Stored.class);
    }

    @Test
    void to_secure_twice_changes_nothing_and_an_old_guard_is_replaced() {
        JobQueue root = secured.root();
        assertThat(root.operations().security().guard()).isEqualTo(QueueSecurity.GuardState.CURRENT);
        assertThat(root.operations().security().isOpen()).isFalse();
        assertThat(root.operations().security().secure().isEmpty()).isTrue();
        ObjectNode guard = root.database().get("_design/couchjobs-guard").orElseThrow();
        guard.put("validate_doc_update", "function () {}");
        root.database().put(guard);
        assertThat(root.operations().security().guard()).isEqualTo(QueueSecurity.GuardState.OTHER);
        assertThat(root.operations().security().preview().isGuardStored()).isTrue();
        assertThat(root.operations().security().secure().guardBefore()).isEqualTo(QueueSecurity.GuardState.OTHER);
        assertThat(root.operations().security().guard()).isEqualTo(QueueSecurity.GuardState.CURRENT);
        String user = secured.user(QueueSecurity.Role.PRODUCER);
        assertThat(root.operations().security().grant(QueueSecurity.Role.PRODUCER, user, () -> null))
                .isEqualTo(QueueSecurity.UserOutcome.UNCHANGED);
        assertThat(root.operations().security().grant(QueueSecurity.Role.WORKER, user, () -> null))
                .isEqualTo(QueueSecurity.UserOutcome.GRANTED);
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> refuses(ThrowingCallable act) {
        return assertThatThrownBy(act).isInstanceOf(WriteRefusedException.class).hasMessageContaining("couchjobs: ");
    }

    private static String refusal(JobQueue queue, ObjectNode document) {
        WriteResult result = queue.database().put(document);
        assertThat(result).isInstanceOf(WriteResult.Refused.class);
        assertThat(((WriteResult.Refused) result).status()).isEqualTo(403);
        return ((WriteResult.Refused) result).reason();
    }

    private static ObjectNode leaf(String id, int generation, String fields) {
        return Jobs.json(
                "{'_id':'job:email:" + id + "','_rev':'" + generation + "-" + "a".repeat(32) + "'," + fields + "}");
    }
}
