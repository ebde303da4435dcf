package io.couchjobs.trigger;

import static io.couchjobs.testing.SourceDatabases.json;
import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.testing.MailQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Documents that were saved at two places at once, and have more than one leaf. */
@ServerTest
class ConflictedSourcesTest {
    private static final ObjectNode PAID = json("{'status':'paid'}");

    private MailQueue mails;
    private JobQueue queue;
    private CouchDatabase orders;

    @BeforeEach
    void open(TestDatabase beside) {
        mails = new MailQueue(beside);
        queue = mails.queue();
        orders = mails.sources().create("orders");
    }

    @AfterEach
    void close() {
        mails.close();
    }

    private TriggerBuilder trigger() {
        return Trigger.named("mails").source(orders.name());
    }

    private List<String> revisions() {
        return mails.ran().stream().map(data -> data.path("rev").asText()).toList();
    }

    private void awaitEnd() throws Exception {
        TestQueue.until(() -> queue.triggers().status("mails").lag() == 0);
    }

    @Test
    void a_save_that_wins_when_the_application_deletes_the_other_one_makes_a_run() throws Exception {
        queue.triggers().put(trigger().type("mail").build());
        orders.bulkRevisions(List.of(
                json("{'_id':'o1','_rev':'3-cc','_revisions':{'start':3,'ids':['cc','bb','aa']}}"),
                json("{'_id':'o1','_rev':'2-dd','_revisions':{'start':2,'ids':['dd','aa']}}")));
        TestQueue.until(() -> revisions().contains("3-cc"));
        String unused = save(orders, "{'_id':'o1','_rev':'3-cc','_deleted':true}");
        TestQueue.until(() -> revisions().contains("2-dd"));
        assertThat(revisions()).containsExactly("3-cc", "2-dd");
    }

    /** The server filters each leaf, and its feed shows the document of the winner, whether that is selected or not. */
    @Test
    void where_each_revision_counts_the_selector_chooses_among_the_leaves() throws Exception {
        mails.sources().assumeNotPouchDb("shows the winning leaf only, and has no selectors in its feed");
        queue.triggers()
                .put(trigger()
                        .type("mail")
                        .deliver(Trigger.Delivery.EVERY)
                        .selector(PAID)
                        .includeDoc()
                        .build());
        orders.bulkRevisions(List.of(
                json("{'_id':'o1','_rev':'1-bb','_revisions':{'start':1,'ids':['bb']},'status':'open'}"),
                json("{'_id':'o1','_rev':'1-aa','_revisions':{'start':1,'ids':['aa']},'status':'paid'}")));
        TestQueue.until(() -> !mails.ran().isEmpty());
        awaitEnd();
        assertThat(queue.all("mail")).hasSize(1);
        assertThat(mails.ran()).singleElement().satisfies(data -> {
            assertThat(data.path("rev").asText()).isEqualTo("1-aa");
            assertThat(data.at("/doc/status").asText()).isEqualTo("paid");
        });
    }

    @Test
    void the_selector_of_an_outbox_chooses_among_the_leaves() throws Exception {
        mails.sources().assumeNotPouchDb("shows the winning leaf only, and has no selectors in its feed");
        queue.triggers()
                .put(trigger().outbox(Outbox.Entries.LEAVE).selector(PAID).build());
        orders.bulkRevisions(
                List.of(
                        json(
                                "{'_id':'o1','_rev':'1-bb','_revisions':{'start':1,'ids':['bb']},'status':'open','couchjobs':[{'type':'mail','id':'b'}]}"),
                        json(
                                "{'_id':'o1','_rev':'1-aa','_revisions':{'start':1,'ids':['aa']},'status':'paid','couchjobs':[{'type':'mail','id':'a'}]}")));
        TestQueue.until(() -> queue.all("mail").findAny().isPresent());
        awaitEnd();
        assertThat(queue.all("mail")).extracting(job -> job.id().id()).containsExactly("a");
    }
}
