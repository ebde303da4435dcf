package io.couchjobs.trigger;

import static io.couchjobs.testing.SourceDatabases.change;
import static io.couchjobs.testing.SourceDatabases.delete;
import static io.couchjobs.testing.SourceDatabases.json;
import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SourceDatabases;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that stand in business documents. */
@ServerTest
class OutboxTest {
    private JobQueue queue;
    private SourceDatabases sources;
    private CouchDatabase orders;
    private Worker worker;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        sources = new SourceDatabases(database, queue);
        orders = sources.create("orders");
        worker = queue.worker().handler("nothing", (data, context) -> null).start();
    }

    @AfterEach
    void close() {
        worker.close();
        sources.close();
        queue.close();
    }

    private void follow(Outbox.Entries entries) {
        queue.triggers()
                .put(Trigger.named("box").source(orders.name()).outbox(entries).build());
    }

    private List<Job> awaitJobs(String type, int count) throws Exception {
        TestQueue.until(() -> queue.all(type).count() >= count
                && queue.triggers().status("box").lag() == 0);
        List<Job> jobs = queue.all(type).toList();
        assertThat(jobs).hasSize(count);
        return jobs;
    }

    @Test
    void the_jobs_of_a_saved_document_are_made_with_all_that_the_entry_says() throws Exception {
        follow(Outbox.Entries.LEAVE);
        save(
                orders,
                "{'_id':'o1','couchjobs':[{'type':'mail','data':{'to':'x'},'priority':70,'group':'g','tags':['t'],'scheduledTime':'2100-01-01T00:00:00Z'}]}");
        Job job = awaitJobs("mail", 1).get(0);
        assertThat(job.data()).isEqualTo(json("{'to':'x'}"));
        assertThat(job.priority()).isEqualTo(70);
        assertThat(job.group()).isEqualTo("g");
        assertThat(job.tags()).containsExactly("t");
        assertThat(job.scheduledTime()).isEqualTo(Instant.parse("2100-01-01T00:00:00Z"));
        assertThat(job.id().id()).startsWith("o1:");
    }

    @Test
    void the_scheduled_time_of_an_entry_may_be_in_seconds_as_that_of_a_job() throws Exception {
        follow(Outbox.Entries.LEAVE);
        save(orders, "{'_id':'o1','couchjobs':[{'type':'mail','data':{},'scheduledTime':4102444800}]}");
        assertThat(awaitJobs("mail", 1).get(0).scheduledTime()).isEqualTo(Instant.parse("2100-01-01T00:00:00Z"));
    }

    @Test
    void an_entry_that_stays_makes_its_job_once_however_often_the_document_is_saved() throws Exception {
        follow(Outbox.Entries.LEAVE);
        save(
                orders,
                "{'_id':'o1','couchjobs':[{'type':'mail','data':{'n':1}},{'type':'mail','data':{'n':1}},{'type':'mail','data':{'n':2}}]}");
        awaitJobs("mail", 3);
        change(orders, "o1", "paid", "yes");
        awaitJobs("mail", 3);
        ObjectNode more = orders.get("o1").orElseThrow();
        more.withArray("/couchjobs")
                .addObject()
                .put("type", "mail")
                .putObject("data")
                .put("n", 3);
        save(orders, more.toString());
        awaitJobs("mail", 4);
    }

    @Test
    void an_entry_is_marked_where_that_is_wanted() throws Exception {
        follow(Outbox.Entries.MARK);
        save(orders, "{'_id':'o1','couchjobs':[{'type':'mail','data':{'n':1}}]}");
        Job job = awaitJobs("mail", 1).get(0);
        TestQueue.until(() -> orders.get("o1")
                .orElseThrow()
                .at("/couchjobs/0/made")
                .asText()
                .equals(job.id().docId()));
    }

    @Test
    void an_entry_is_removed_where_that_is_wanted_and_one_that_is_wrong_stays() throws Exception {
        follow(Outbox.Entries.REMOVE);
        save(orders, "{'_id':'o1','x':1,'couchjobs':[{'type':'mail','data':{'n':1}},{'nonsense':1}]}");
        TestQueue.until(() -> orders.get("o1").orElseThrow().path("couchjobs").size() == 1);
        awaitJobs("mail", 1);
        assertThat(orders.get("o1").orElseThrow().path("x").asInt()).isEqualTo(1);
        save(orders, "{'_id':'o2','couchjobs':[{'type':'mail','data':{'n':1}}]}");
        TestQueue.until(() -> !orders.get("o2").orElseThrow().has("couchjobs"));
        awaitJobs("mail", 2);
    }

    @Test
    void an_entry_whose_job_is_in_another_document_of_the_same_step_too_is_removed() throws Exception {
        follow(Outbox.Entries.REMOVE);
        queue.triggers().pause("box");
        save(orders, "{'_id':'o1','couchjobs':[{'type':'mail','id':'same','data':{'n':1}}]}");
        save(orders, "{'_id':'o2','couchjobs':[{'type':'mail','id':'same','data':{'n':1}}]}");
        queue.triggers().resume("box");
        for (String order : List.of("o1", "o2")) {
            TestQueue.until(() -> !orders.get(order).orElseThrow().has("couchjobs"));
        }
        awaitJobs("mail", 1);
    }

    @Test
    void a_wrong_entry_is_listed_with_its_place_and_stops_no_other() throws Exception {
        follow(Outbox.Entries.LEAVE);
        save(
                orders,
                "{'_id':'o1','couchjobs':[{'type':'mail','prority':1},{'type':'mail','data':{'n':1}},{'data':{}}]}");
        save(orders, "{'_id':'o2','couchjobs':'mail'}");
        save(orders, "{'_id':'o3','couchjobs':[{'type':'mail'}]}");
        awaitJobs("mail", 2);
        TestQueue.until(() -> queue.triggers().errors("box").size() == 3);
        assertThat(queue.triggers().errors("box"))
                .extracting(TriggerStatus.Failure::reason)
                .anyMatch(reason -> reason.contains("couchjobs[0].prority"))
                .anyMatch(reason -> reason.contains("couchjobs[2].type"))
                .anyMatch(reason -> reason.contains("array"));
    }

    @Test
    void a_losing_leaf_of_a_conflict_was_a_save_too() throws Exception {
        sources.assumeNotPouchDb("shows the winning leaf only");
        follow(Outbox.Entries.LEAVE);
        orders.bulkRevisions(
                List.of(
                        json(
                                "{'_id':'o1','_rev':'1-aaaa','_revisions':{'start':1,'ids':['aaaa']},'couchjobs':[{'type':'mail','id':'a'}]}"),
                        json(
                                "{'_id':'o1','_rev':'1-bbbb','_revisions':{'start':1,'ids':['bbbb']},'couchjobs':[{'type':'mail','id':'b'}]}")));
        assertThat(awaitJobs("mail", 2)).extracting(job -> job.id().id()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void a_deleted_document_makes_no_more_jobs_and_one_that_is_made_anew_makes_them_of_new_entries() throws Exception {
        follow(Outbox.Entries.LEAVE);
        save(orders, "{'_id':'o1','couchjobs':[{'type':'mail','data':{'n':1}}]}");
        awaitJobs("mail", 1);
        delete(orders, "o1");
        save(orders, "{'_id':'o1','couchjobs':[{'type':'mail','data':{'n':1}},{'type':'mail','data':{'n':2}}]}");
        awaitJobs("mail", 2);
    }

    @Test
    void the_field_is_built_from_a_request() throws Exception {
        follow(Outbox.Entries.LEAVE);
        ObjectNode order = json("{'_id':'o1'}");
        Outbox.add(
                order,
                JobRequest.builder("mail").data(Map.of("to", "x")).priority(60).build());
        Outbox.add(
                order,
                JobRequest.builder("mail").id("named").data(Map.of("to", "y")).build());
        save(orders, order.toString());
        assertThat(awaitJobs("mail", 2))
                .extracting(job -> job.data().path("to").asText())
                .containsExactlyInAnyOrder("x", "y");
        assertThat(queue.get("mail", "named")).isPresent();
    }

    @Test
    void a_request_that_awaits_other_jobs_is_refused_for_an_entry_and_the_document_stays() {
        ObjectNode order = json("{'_id':'o1'}");
        JobRequest request = JobRequest.builder("mail")
                .data(Map.of())
                .after(new JobId("mail", "first"))
                .build();
        assertThatThrownBy(() -> Outbox.add(order, request))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("after");
        assertThat(order).isEqualTo(json("{'_id':'o1'}"));
    }

    private static List<JobId> ids(String docId, String document) {
        return Outbox.entries(docId, json(document)).stream()
                .map(entry -> entry.job().orElseThrow())
                .toList();
    }

    @Test
    void a_document_with_an_id_that_is_too_long_for_a_job_makes_jobs_and_always_the_same() {
        String document = "{'couchjobs':[{'type':'mail'},{'type':'mail'},{'type':'mail','data':{'n':1}}]}";
        for (String docId :
                List.of("o".repeat(600), "o".repeat(494) + "\uD83D\uDE00".repeat(50), "\uD83D\uDE00".repeat(300))) {
            assertThat(ids(docId, document))
                    .doesNotHaveDuplicates()
                    .hasSize(3)
                    .isEqualTo(ids(docId, document))
                    .doesNotContainAnyElementsOf(ids(docId + "x", document));
        }
    }

    @Test
    void an_id_that_fits_into_one_of_a_job_is_not_shortened() {
        String docId = "o".repeat(495);
        assertThat(ids(docId, "{'couchjobs':[{'type':'mail'}]}").get(0).id())
                .startsWith(docId + ":")
                .hasSize(512);
    }
}
