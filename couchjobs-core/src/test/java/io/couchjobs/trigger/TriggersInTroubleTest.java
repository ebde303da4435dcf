package io.couchjobs.trigger;

import static io.couchjobs.testing.SourceDatabases.change;
import static io.couchjobs.testing.SourceDatabases.json;
import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.testing.MailQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SourceDatabases;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Changes that fail, databases that go away, and triggers that are changed. */
@ServerTest
class TriggersInTroubleTest {
    private TestDatabase database;
    private MailQueue mails;
    private JobQueue queue;
    private SourceDatabases sources;
    private List<ObjectNode> ran;

    @BeforeEach
    void open(TestDatabase beside) {
        database = beside;
        mails = new MailQueue(beside);
        queue = mails.queue();
        sources = mails.sources();
        ran = mails.ran();
    }

    @AfterEach
    void close() {
        mails.close();
    }

    private static TriggerBuilder mails(String source) {
        return Trigger.named("mails").source(source).type("mail");
    }

    /** The server of the queue, as a connection names it. */
    private static URI server(TestDatabase database) {
        String credentials = database.user()
                .map(user -> user + ":" + database.password().orElse("") + "@")
                .orElse("");
        URI url = database.serverUrl();
        return URI.create(url.getScheme() + "://" + credentials + url.getAuthority() + url.getPath());
    }

    private List<String> ids() {
        return ran.stream().map(data -> data.path("id").asText()).toList();
    }

    @Test
    void a_change_that_cannot_be_in_a_batch_is_listed_and_the_others_make_their_job() throws Exception {
        CouchDatabase orders = sources.create("orders");
        queue.triggers()
                .put(mails(orders.name())
                        .batch(3, Duration.ofMinutes(1))
                        .data(json("{'to':'{/mail}'}"))
                        .build());
        save(orders, "{'_id':'o1','mail':'x'}");
        save(orders, "{'_id':'o2'}");
        save(orders, "{'_id':'o3','mail':'y'}");
        TestQueue.until(() -> !ran.isEmpty());
        assertThat(ran.get(0).path("changes").findValuesAsText("to")).containsExactlyInAnyOrder("x", "y");
        TestQueue.until(() -> !queue.triggers().errors("mails").isEmpty());
        assertThat(queue.triggers().errors("mails")).singleElement().satisfies(error -> assertThat(error.docId())
                .isEqualTo("o2"));
    }

    @Test
    void a_batch_of_revisions_has_the_losing_leaf_of_a_conflict_too() throws Exception {
        sources.assumeNotPouchDb("shows the winning leaf only");
        CouchDatabase orders = sources.create("orders");
        queue.triggers()
                .put(mails(orders.name())
                        .deliver(Trigger.Delivery.EVERY)
                        .batch(2, Duration.ofSeconds(1))
                        .build());
        orders.bulkRevisions(List.of(
                json("{'_id':'o1','_rev':'1-aaaa','_revisions':{'start':1,'ids':['aaaa']}}"),
                json("{'_id':'o1','_rev':'1-bbbb','_revisions':{'start':1,'ids':['bbbb']}}")));
        TestQueue.until(() -> ran.stream()
                        .flatMap(data -> data.path("changes").findValuesAsText("rev").stream())
                        .distinct()
                        .count()
                == 2);
    }

    @Test
    void a_revision_that_failed_is_tried_again_as_it_was_where_each_revision_counts() throws Exception {
        CouchDatabase orders = sources.create("orders");
        queue.triggers()
                .put(mails(orders.name())
                        .deliver(Trigger.Delivery.EVERY)
                        .data(json("{'to':'{/mail}'}"))
                        .build());
        String wrong = save(orders, "{'_id':'o1'}");
        TestQueue.until(() -> queue.triggers().errors("mails").size() == 1);
        change(orders, "o1", "mail", "x");
        TestQueue.until(() -> ran.size() == 1);
        assertThat(queue.triggers().retryErrors("mails")).isEqualTo(1);
        TestQueue.until(() -> queue.triggers().errors("mails").stream()
                .anyMatch(error -> error.rev().equals(wrong)));
        assertThat(queue.all("mail")).hasSize(1);
    }

    @Test
    void the_end_of_a_job_whose_database_is_gone_holds_up_no_other() throws Exception {
        sources.assumeNotPouchDb("has no selectors in its feed");
        CouchDatabase going = sources.create("shop-1");
        CouchDatabase staying = sources.create("shop-2");
        queue.types().change("mail", settings -> settings.withPaused(true));
        queue.triggers()
                .put(mails(sources.prefix() + "shop-*").writeBack("/status").build());
        save(going, "{'_id':'a'}");
        save(staying, "{'_id':'b'}");
        TestQueue.until(() -> queue.all("mail").count() == 2);
        going.delete();
        queue.types().change("mail", settings -> settings.withPaused(false));
        TestQueue.until(() ->
                staying.get("b").orElseThrow().at("/status/status").asText().equals("success"));
    }

    @Test
    void an_end_that_cannot_be_written_back_is_tried_again_on_request_and_holds_up_no_other() throws Exception {
        sources.assumeNotPouchDb("has no selectors in its feed");
        CouchDatabase orders = sources.create("orders");
        queue.triggers().put(mails(orders.name()).writeBack("/mail/status").build());
        save(orders, "{'_id':'a'}");
        TestQueue.until(() -> queue.triggers().errors("mails").size() == 1);

        assertThat(queue.triggers().retryErrors("mails")).isEqualTo(1);
        save(orders, "{'_id':'b','mail':{}}");

        TestQueue.until(() ->
                orders.get("b").orElseThrow().at("/mail/status/status").asText().equals("success"));
        TestQueue.until(() -> queue.triggers().errors("mails").size() == 1);
        assertThat(queue.triggers().errors("mails").get(0).reason()).contains("no object at /mail");
        TriggerStatus status = queue.triggers().status("mails");
        assertThat(status.ends().orElseThrow().errors()).isEqualTo(2);
        assertThat(status.errors()).isEqualTo(2);
    }

    @Test
    void databases_that_only_a_new_pattern_fits_are_followed_from_the_change_of_the_trigger_on() throws Exception {
        sources.assumeNotPouchDb("does not tell when a database was made");
        CouchDatabase shop = sources.create("shop-1");
        CouchDatabase store = sources.create("store-1");
        save(store, "{'_id':'old'}");
        queue.triggers().put(mails(sources.prefix() + "shop-*").build());
        save(shop, "{'_id':'a'}");
        TestQueue.until(() -> ran.size() == 1);
        queue.triggers().put(mails(sources.prefix() + "s*").build());
        save(store, "{'_id':'b'}");
        TestQueue.until(() -> ids().contains("b"));
        assertThat(ids()).containsExactly("a", "b");
    }

    @Test
    void a_database_of_a_pattern_that_is_deleted_is_followed_again_when_it_is_made_anew() throws Exception {
        sources.assumeNotPouchDb("does not tell when a database was made");
        for (int i = 0; i < 12; i++) { // more than are listened to at a time
            CouchDatabase unused = sources.create("shop-" + i);
        }
        queue.triggers().put(mails(sources.prefix() + "shop-*").build());
        CouchDatabase shop = sources.create("shop-new");
        save(shop, "{'_id':'a'}");
        TestQueue.until(() -> ran.size() == 1);
        shop.delete();
        Instant deleted = Instant.now();
        TestQueue.until(() -> Instant.now().isAfter(deleted.plusSeconds(1))); // a server tells the second only
        CouchDatabase anew = sources.create("shop-new");
        save(anew, "{'_id':'b'}");
        TestQueue.until(() -> ids().contains("b"));
    }

    @Test
    void a_pattern_is_sent_forward_to_now_though_one_of_its_databases_is_gone() {
        CouchDatabase going = sources.create("shop-1");
        CouchDatabase staying = sources.create("shop-2");
        String pattern = sources.prefix() + "shop-*";
        queue.triggers().put(mails(pattern).from("beginning").build());
        queue.triggers().pause("mails");
        save(staying, "{'_id':'a'}");
        going.delete();
        queue.triggers().replay("mails", "now");
        assertThat(queue.triggers().status("mails").lag()).isZero();
    }

    @Test
    void a_malformed_trigger_is_put_right_by_putting_it_anew() {
        save(queue.database(), "{'_id':'trigger:mails','source':7}");
        assertThat(queue.triggers().malformed()).containsKey("mails");
        queue.triggers().put(mails(sources.prefix() + "shop-*").build());
        assertThat(queue.triggers().malformed()).isEmpty();
    }

    @Test
    void a_trigger_whose_job_is_removed_is_followed_again_soon() throws Exception {
        CouchDatabase orders = sources.create("orders");
        queue.triggers().put(mails(orders.name()).build());
        save(orders, "{'_id':'o1'}");
        TestQueue.until(() -> ran.size() == 1);
        Instant removed = Instant.now();
        queue.remove("couchjobs-trigger", "mails");
        TestQueue.until(() -> queue.triggers().status("mails").follower().isPresent());
        assertThat(Duration.between(removed, Instant.now())).isLessThan(Duration.ofSeconds(30));
        save(orders, "{'_id':'o2'}");
        TestQueue.until(() -> ran.size() == 2);
    }

    @Test
    void a_trigger_with_a_connection_that_nobody_knows_is_followed_when_its_connection_is_put_right() throws Exception {
        CouchDatabase orders = sources.create("orders");
        try (JobQueue shop = TestQueue.builder(database)
                        .connection("shop", server(database))
                        .open();
                Worker follows =
                        shop.worker().handler("other", (data, context) -> null).start()) {
            shop.triggers().put(mails(orders.name()).connection("shpo").build());
            TestQueue.until(() -> queue.get("couchjobs-trigger", "mails").isPresent());
            shop.triggers().put(mails(orders.name()).connection("shop").build());
            TestQueue.until(() -> shop.triggers().status("mails").follower().isPresent());
            save(orders, "{'_id':'o1'}");
            TestQueue.until(() -> ran.size() == 1);
            assertThat(follows.stats().failed()).isZero();
        }
    }
}
