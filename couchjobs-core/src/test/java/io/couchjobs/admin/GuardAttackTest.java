package io.couchjobs.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.ServerTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What somebody with a role tries who means harm: peter produces, ann and bob work. */
@ServerTest
@Timeout(120)
class GuardAttackTest {
    private static final long FAR = 8_640_000_000_000_000L;

    private SecuredQueue secured;
    private JobQueue peter;
    private JobQueue ann;
    private JobQueue bob;

    @BeforeEach
    void secure(TestDatabase database) {
        secured = new SecuredQueue(database);
        peter = secured.as(QueueSecurity.Role.PRODUCER);
        ann = secured.as(QueueSecurity.Role.WORKER);
        bob = secured.as(QueueSecurity.Role.WORKER);
    }

    @AfterEach
    void close() {
        secured.close();
    }

    @Test
    void fields_that_are_named_as_methods_are_fields() throws Exception {
        ObjectNode job =
                Jobs.json("{'_id':'job:email:1','data':{'hasOwnProperty':1,'n':1},'hasOwnProperty':1,'toString':2}");
        store(peter, job);
        store(peter, stored().put("hasOwnProperty", 3).set("data", Jobs.json("{'hasOwnProperty':1,'n':2}")));
        peter.setPriority("email", "1", 7);
        claim(ann).finish();
        assertThat(peter.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void an_object_that_has_the_methods_of_a_text_is_not_a_text() {
        assertThat(refusal(peter, Jobs.json("{'_id':'job:email:1','status':{'toString':1,'valueOf':1}}")))
                .contains("its field status is wrong");
    }

    @Test
    void the_attachments_of_an_owned_job_are_as_safe_as_its_data() throws Exception {
        peter.add(JobRequest.builder("email")
                .id("1")
                .data(Map.of("x", "y".repeat(40_000)))
                .build());
        ClaimedJob claim = claim(ann);
        for (JobQueue attacker : List.of(peter, bob)) {
            ObjectNode less = stored();
            less.remove("_attachments");
            assertThat(refusal(attacker, less)).contains("changing _attachments");
            ObjectNode other = stored();
            other.withObject("/_attachments")
                    .properties()
                    .forEach(attachment ->
                            attachment.setValue(Jobs.json("{'content_type':'application/json','data':'e30='}")));
            assertThat(refusal(attacker, other)).contains("changing _attachments");
            ObjectNode more = stored();
            more.withObject("/_attachments").set("more", Jobs.json("{'content_type':'text/plain','data':'e30='}"));
            assertThat(refusal(attacker, more)).contains("changing _attachments");
        }
        claim.finish();
        assertThat(ann.data("email", "1").orElseThrow().path("x").asText()).hasSize(40_000);
    }

    @Test
    void a_claim_is_not_withdrawn_at_a_time_that_is_none() throws Exception {
        peter.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        claim(ann);
        ObjectNode withdrawn = stored();
        withdrawn.withObject("/lock").set("withdrawn", Jobs.json("{'at':1000000000000000000,'reason':'x'}"));
        assertThat(refusal(bob, withdrawn)).contains("its field lock is wrong");
    }

    @Test
    void only_the_owner_says_when_a_run_began() throws Exception {
        peter.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        claim(ann);
        ObjectNode late = stored();
        late.withObject("/times").put("started", FAR);
        assertThat(refusal(peter, late)).contains("changing times");
        assertThat(refusal(bob, late)).contains("changing times");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'status':'failed','expirations':1,'errors':[{'kind':'failed','message':'forged'}]",
                "'status':'failed','errors':[{'kind':'expired','message':'not even once'}]",
                "'status':'failed','attempt':0,'expirations':1,'errors':[{'kind':'expired','message':'x'}]",
                "'status':'cancelled','errors':[{'kind':'expired','message':'nobody asked for it'}]",
                "'status':'waiting','errors':[{'kind':'expired','message':'x'}],'scheduledTime':8640000000000000",
                "'status':'waiting','errors':[{'kind':'expired','message':'x'}],'attempt':2147483647",
                "'status':'waiting','errors':[{'kind':'expired','message':'x'}],'expirations':2147483647",
                "'status':'waiting','errors':[{'kind':'failed','message':'forged'},{'kind':'expired','message':'x'}]"
            })
    void a_worker_that_takes_a_job_back_cannot_make_anything_else_of_it(String fields) throws Exception {
        peter.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        claim(ann);
        ObjectNode taken = stored();
        taken.remove("lock");
        taken.setAll(Jobs.json("{" + fields + "}"));
        taken.withObject("/times").put("expired", 5);
        assertThat(refusal(bob, taken)).contains("does not own this job");
    }

    @Test
    void a_user_who_cancels_a_job_cannot_change_its_errors() {
        peter.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        ObjectNode cancelled = stored().put("status", "cancelled");
        cancelled.set(
                "errors",
                Jobs.json("{'e':[{'kind':'failed','message':'forged'}]}").get("e"));
        assertThat(refusal(bob, cancelled)).contains("changing errors, status");
        cancelled.set(
                "errors",
                Jobs.json("{'e':[{'kind':'failed','message':'forged'},{'kind':'cancelled'}]}")
                        .get("e"));
        assertThat(refusal(bob, cancelled)).contains("changing errors, status");
        assertThat(refusal(peter, cancelled)).contains("changing errors, status");
    }

    @Test
    void the_fence_does_not_go_back_by_being_forgotten() throws Exception {
        store(peter, Jobs.json("{'_id':'job:email:1','fence':1000,'data':{}}"));
        claim(ann).finish();
        ObjectNode again = stored().put("status", "waiting");
        again.remove(List.of("fence", "attempt", "result", "times"));
        assertThat(refusal(peter, again)).contains("from success to waiting");
        assertThat(refusal(bob, again)).contains("from success to waiting");
        store(peter, again.put("fence", 1002));
    }

    @Test
    void a_job_whose_counts_can_grow_no_more_can_still_be_claimed() throws Exception {
        store(secured.root(), Jobs.json("{'_id':'job:email:1','fence':2147483647,'attempt':2147483647,'data':{}}"));
        claim(ann).finish();
        assertThat(stored().path("attempt").asLong()).isEqualTo(2147483647L);
    }

    @Test
    void a_schedule_is_not_stopped_by_what_it_notes_of_its_runs() {
        secured.as(QueueSecurity.Role.ADMIN)
                .schedules()
                .put(Schedule.named("nightly")
                        .cron("0 3 * * *")
                        .job(JobRequest.of("email", Map.of()))
                        .build());
        for (String runs : List.of("'garbage'", "['no job']", "[5]", "{}")) {
            ObjectNode changed = schedule();
            changed.set("runs", Jobs.json("{'r':" + runs + "}").get("r"));
            assertThat(refusal(peter, changed)).contains("may not change schedules");
            assertThat(refusal(bob, changed)).contains("may not change schedules");
        }
        assertThat(refusal(bob, schedule().put("last", "yesterday"))).contains("may not change schedules");
        peter.schedules().runNow("nightly");
    }

    /** On several copies each change of a document that several processes write carries a mark of its own. */
    @Test
    void the_mark_of_a_change_on_a_cluster_may_change_with_what_it_marks() {
        QueueSecurity.Role admin = QueueSecurity.Role.ADMIN;
        secured.as(admin)
                .schedules()
                .put(Schedule.named("nightly")
                        .cron("0 3 * * *")
                        .job(JobRequest.of("email", Map.of()))
                        .build());
        ObjectNode mark = Jobs.json("{'by':'x'}");
        store(bob, schedule().put("last", 5).set("uncounted", mark));
        store(
                peter,
                schedule()
                        .remove(List.of("uncounted"))
                        .set("runs", Jobs.json("{'r':[]}").get("r")));
        store(bob, Jobs.json("{'_id':'scope:import','rejected':1}"));
        ObjectNode scope = secured.root().database().get("scope:import").orElseThrow();
        store(peter, scope.put("rejected", 2).set("uncounted", mark));
    }

    private ObjectNode schedule() {
        return secured.root().database().get("schedule:nightly").orElseThrow();
    }

    private ObjectNode stored() {
        return secured.root().database().get("job:email:1").orElseThrow();
    }

    private static ClaimedJob claim(JobQueue worker) throws Exception {
        return worker.accept(AcceptOptions.of("email").timeout(Duration.ofSeconds(30)))
                .get(0);
    }

    private static void store(JobQueue queue, ObjectNode document) {
        assertThat(queue.database().put(document)).isInstanceOf(WriteResult.Stored.class);
    }

    private static String refusal(JobQueue queue, ObjectNode document) {
        WriteResult result = queue.database().put(document);
        assertThat(result).isInstanceOf(WriteResult.Refused.class);
        assertThat(((WriteResult.Refused) result).status()).isEqualTo(403);
        return ((WriteResult.Refused) result).reason();
    }
}
