package io.couchjobs.trigger;

import static io.couchjobs.testing.SourceDatabases.change;
import static io.couchjobs.testing.SourceDatabases.delete;
import static io.couchjobs.testing.SourceDatabases.json;
import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What users of triggers see. */
@ServerTest
class TriggersTest extends OrderMails {
    @Test
    void a_saved_document_makes_a_job_that_says_which_document_it_is() throws Exception {
        queue.triggers().put(mails().build());
        String rev = save(orders, "{'_id':'o1','total':12}");
        awaitRuns(1);
        assertThat(ran.get(0).path("id").asText()).isEqualTo("o1");
        assertThat(ran.get(0).path("rev").asText()).isEqualTo(rev);
        assertThat(ran.get(0).path("db").asText()).isEqualTo(orders.name());
        assertThat(ran.get(0).path("deleted").asBoolean(true)).isFalse();
        assertThat(queue.triggers().status("mails").follower()).isPresent();
    }

    @Test
    void documents_from_before_the_trigger_make_jobs_only_if_it_begins_at_the_beginning() throws Exception {
        save(orders, "{'_id':'old'}");
        queue.triggers().put(mails().build());
        queue.triggers()
                .put(Trigger.named("all")
                        .source(orders.name())
                        .type("mail")
                        .from("beginning")
                        .build());
        save(orders, "{'_id':'new'}");
        awaitRuns(3);
        assertThat(ran).extracting(data -> data.path("id").asText()).containsExactlyInAnyOrder("old", "new", "new");
    }

    @Test
    void a_deleted_document_is_a_change_unless_deletions_are_left_out() throws Exception {
        save(orders, "{'_id':'o1'}");
        queue.triggers().put(mails().build());
        queue.triggers()
                .put(Trigger.named("kept")
                        .source(orders.name())
                        .type("mail")
                        .deletions(Trigger.Deletions.EXCLUDE)
                        .build());
        delete(orders, "o1");
        save(orders, "{'_id':'o2'}");
        awaitRuns(3);
        assertThat(ran)
                .filteredOn(data -> data.path("deleted").asBoolean())
                .extracting(data -> data.path("id").asText())
                .containsExactly("o1");
    }

    @Test
    void templates_make_the_id_the_group_and_the_data_of_a_job_from_the_document() throws Exception {
        queue.triggers()
                .put(mails().id("mail-{/customer/id}-{_id}")
                        .group("{/customer/id}")
                        .data(
                                json(
                                        "{'to':'{/customer/mail}','text':'Order {_id} of {/items/0/name}','items':'{/items}','note':'{/note?}'}"))
                        .build());
        save(orders, "{'_id':'o1','customer':{'id':7,'mail':'a@example.org'},'items':[{'name':'tea'}]}");
        awaitRuns(1);
        assertThat(ran.get(0))
                .isEqualTo(
                        json("{'to':'a@example.org','text':'Order o1 of tea','items':[{'name':'tea'}],'note':null}"));
        Job job = queue.get("mail", "mail-7-o1").orElseThrow();
        assertThat(job.group()).isEqualTo("7");
        assertThat(job.origin()).contains("trigger:mails");
    }

    @Test
    void a_document_that_changes_while_its_job_waits_makes_one_run_with_the_newest_state() throws Exception {
        queue.types().change("mail", settings -> settings.withPaused(true));
        queue.triggers().put(mails().includeDoc().build());
        save(orders, "{'_id':'o1','n':'0'}");
        TestQueue.until(() -> queue.all("mail").count() == 1);
        for (int i = 1; i <= 10; i++) {
            change(orders, "o1", "n", String.valueOf(i));
        }
        TestQueue.until(() -> queue.all("mail")
                .allMatch(job -> job.data().at("/doc/n").asText().equals("10")));
        queue.types().change("mail", settings -> settings.withPaused(false));
        awaitRuns(1);
        assertThat(ran.get(0).at("/doc/n").asText()).isEqualTo("10");
    }

    @Test
    void a_document_that_changes_while_its_job_runs_makes_one_more_run_with_the_newest_state() throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch goes = new CountDownLatch(1);
        List<String> states = Collections.synchronizedList(new ArrayList<>());
        try (Worker slow = queue.worker()
                .handler("slow", (data, context) -> {
                    states.add(data.at("/doc/n").asText());
                    runs.countDown();
                    assertThat(goes.await(2, TimeUnit.MINUTES)).isTrue();
                    return null;
                })
                .start()) {
            queue.triggers()
                    .put(Trigger.named("slow")
                            .source(orders.name())
                            .type("slow")
                            .includeDoc()
                            .build());
            save(orders, "{'_id':'o1','n':'0'}");
            assertThat(runs.await(2, TimeUnit.MINUTES)).isTrue();
            change(orders, "o1", "n", "1");
            change(orders, "o1", "n", "2");
            TestQueue.until(() -> queue.triggers().status("slow").lag() == 0);
            goes.countDown();
            TestQueue.until(() -> slow.stats().succeeded() == 2);
        }
        assertThat(states).containsExactly("0", "2");
    }

    @Test
    void each_revision_makes_a_job_of_its_own_where_that_is_wanted() throws Exception {
        queue.types().change("mail", settings -> settings.withPaused(true));
        queue.triggers().put(mails().deliver(Trigger.Delivery.EVERY).build());
        List<String> revs = new ArrayList<>(List.of(save(orders, "{'_id':'o1'}")));
        for (int i = 1; i <= 3; i++) {
            int count = i;
            TestQueue.until(() -> queue.all("mail").count() == count);
            revs.add(change(orders, "o1", "n", String.valueOf(i)));
        }
        TestQueue.until(() -> queue.all("mail").count() == 4);
        queue.types().change("mail", settings -> settings.withPaused(false));
        awaitRuns(4);
        assertThat(ran).extracting(data -> data.path("rev").asText()).containsExactlyInAnyOrderElementsOf(revs);
    }

    @Test
    void a_selector_and_prefixes_leave_out_other_documents() throws Exception {
        sources.assumeNotPouchDb("has no selectors in its feed");
        queue.triggers()
                .put(mails().prefixes("order:")
                        .selector(json("{'total':{'$gt':100}}"))
                        .build());
        save(orders, "{'_id':'order:1','total':50}");
        save(orders, "{'_id':'note:1','total':500}");
        save(orders, "{'_id':'order:2','total':500}");
        awaitRuns(1);
        assertThat(ran.get(0).path("id").asText()).isEqualTo("order:2");
    }

    @Test
    void a_change_whose_template_fails_is_listed_and_the_trigger_goes_on() throws Exception {
        queue.triggers().put(mails().data(json("{'to':'{/mail}'}")).build());
        save(orders, "{'_id':'bad'}");
        save(orders, "{'_id':'good','mail':'x'}");
        awaitRuns(1);
        TestQueue.until(() -> queue.triggers().errors("mails").size() == 1);
        TriggerStatus.Failure error = queue.triggers().errors("mails").get(0);
        assertThat(error.docId()).isEqualTo("bad");
        assertThat(error.reason()).contains("/mail").contains("bad");
        change(orders, "bad", "mail", "y");
        awaitRuns(2);
        assertThat(queue.triggers().retryErrors("mails")).isEqualTo(1);
        TestQueue.until(() -> queue.triggers().errors("mails").isEmpty());
        awaitRuns(2);
    }

    @Test
    void a_paused_trigger_waits_and_misses_nothing() throws Exception {
        sources.assumeNotPouchDb("does not tell how many changes a feed still has");
        queue.triggers().put(mails().build());
        save(orders, "{'_id':'o1'}");
        awaitRuns(1);
        TestQueue.until(() -> queue.triggers().status("mails").lag() == 0);
        queue.triggers().pause("mails");
        TestQueue.until(() -> queue.triggers().status("mails").follower().isEmpty());
        save(orders, "{'_id':'o2'}");
        assertThat(queue.triggers().status("mails").lag()).isEqualTo(1);
        queue.triggers().put(mails().build());
        assertThat(queue.triggers().get("mails").orElseThrow().isEnabled()).isFalse();
        queue.triggers().resume("mails");
        awaitRuns(2);
    }

    @Test
    void a_trigger_that_is_sent_back_makes_its_jobs_once_more() throws Exception {
        queue.triggers().put(mails().build());
        save(orders, "{'_id':'o1'}");
        save(orders, "{'_id':'o2'}");
        awaitRuns(2);
        queue.triggers().replay("mails", "beginning");
        awaitRuns(4);
    }

    @Test
    void a_removed_trigger_makes_no_more_jobs_and_leaves_no_documents() throws Exception {
        queue.triggers().put(mails().build());
        save(orders, "{'_id':'o1'}");
        awaitRuns(1);
        queue.triggers().remove("mails");
        TestQueue.until(() -> queue.all("couchjobs-trigger").allMatch(job -> job.status() == JobStatus.SUCCESS));
        save(orders, "{'_id':'o2'}");
        assertThat(queue.triggers().list()).isEmpty();
        assertThat(queue.database().get("follow:mails:" + orders.name())).isEmpty();
        assertThatThrownBy(() -> queue.triggers().status("mails")).isInstanceOf(NotFoundException.class);
    }

    @Test
    void a_trigger_written_by_hand_works_and_nonsense_beside_it_stops_nobody() throws Exception {
        queue.database().put(json("{'_id':'trigger:nonsense','source':7}"));
        queue.database()
                .put(json("{'_id':'trigger:mine','source':'" + orders.name()
                        + "','from':'beginning','job':{'type':'mail'}}"));
        save(orders, "{'_id':'o1'}");
        awaitRuns(1);
        assertThat(queue.triggers().malformed()).containsOnlyKeys("nonsense");
        assertThat(queue.triggers().malformed().get("nonsense"))
                .contains("source")
                .contains("7");
    }

    @Test
    void a_test_shows_the_job_and_makes_none() {
        queue.triggers().put(mails().prefixes("o").build());
        save(orders, "{'_id':'o1'}");
        save(orders, "{'_id':'p1'}");
        queue.triggers().pause("mails");
        assertThat(queue.triggers().test("mails", Optional.empty(), "o1").jobs())
                .hasSize(1);
        assertThat(queue.triggers()
                        .test("mails", Optional.empty(), "p1")
                        .leftOut()
                        .orElseThrow())
                .contains("o");
        assertThatThrownBy(() -> queue.triggers().test("mails", Optional.empty(), "no"))
                .isInstanceOf(NotFoundException.class)
                .hasMessageContaining("no document no");
    }

    @Test
    void a_source_that_cannot_be_followed_is_refused_at_once() {
        assertThatThrownBy(() -> queue.triggers()
                        .put(Trigger.named("x")
                                .source(sources.prefix() + "missing")
                                .type("mail")
                                .build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("missing");
        assertThatThrownBy(() -> queue.triggers()
                        .put(mails().selector(json("{'a':{'$nonsense':1}}")).build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("mails");
        assertThat(queue.triggers().list()).isEmpty();
    }

    @Test
    void a_batch_is_one_job_with_the_list_of_changes() throws Exception {
        queue.triggers().put(mails().batch(100, Duration.ofMillis(1500)).build());
        save(orders, "{'_id':'o1'}");
        save(orders, "{'_id':'o2'}");
        save(orders, "{'_id':'o3'}");
        TestQueue.until(
                () -> ran.stream().mapToInt(data -> data.path("changes").size()).sum() == 3);
        assertThat(ran)
                .flatExtracting(data -> List.copyOf(data.path("changes").findValuesAsText("id")))
                .containsExactlyInAnyOrder("o1", "o2", "o3");
        assertThat(ran).hasSizeLessThan(3);
    }

    @Test
    void debounced_jobs_wait_until_their_document_rests() throws Exception {
        Duration rest = Duration.ofSeconds(2);
        queue.types().change("mail", settings -> settings.withPaused(true));
        queue.triggers().put(mails().debounce(rest).includeDoc().build());
        save(orders, "{'_id':'o1','n':'0'}");
        for (int i = 1; i < 3; i++) {
            change(orders, "o1", "n", String.valueOf(i));
        }
        Instant beforeTheLast = TestQueue.clock(
                        InstantSource.system(), queue.database().server())
                .instant();
        change(orders, "o1", "n", "3");
        TestQueue.until(() -> queue.all("mail")
                .anyMatch(job -> job.data().at("/doc/n").asText().equals("3")));
        assertThat(queue.all("mail")).singleElement().satisfies(job -> assertThat(job.scheduledTime())
                .isAfterOrEqualTo(beforeTheLast.plus(rest)));
        queue.types().change("mail", settings -> settings.withPaused(false));
        awaitRuns(1);
        assertThat(ran.get(0).at("/doc/n").asText()).isEqualTo("3");
    }

    @Test
    void a_pattern_that_fits_the_database_of_the_queue_makes_no_jobs_of_its_jobs(TestDatabase database)
            throws Exception {
        sources.assumeNotPouchDb("does not tell when a database was made");
        queue.triggers().put(mails().source(database.name() + "*").build());
        save(orders, "{'_id':'o1'}");
        TestQueue.until(() -> !ran.isEmpty());
        save(orders, "{'_id':'o2'}");
        TestQueue.until(
                () -> ran.stream().anyMatch(data -> data.path("id").asText().equals("o2")));
        assertThat(ran).extracting(data -> data.path("id").asText()).containsExactly("o1", "o2");
        assertThat(queue.triggers().status("mails").sources())
                .extracting(TriggerStatus.Source::database)
                .containsExactly(orders.name());
    }

    @Test
    void databases_that_fit_a_pattern_are_followed_and_new_ones_from_their_beginning() throws Exception {
        sources.assumeNotPouchDb("does not tell when a database was made");
        CouchDatabase one = sources.create("shop-1");
        save(one, "{'_id':'old'}");
        queue.triggers()
                .put(Trigger.named("shops")
                        .source(sources.prefix() + "shop-*")
                        .type("mail")
                        .build());
        save(one, "{'_id':'a'}");
        awaitRuns(1);
        CouchDatabase two = sources.create("shop-2");
        save(two, "{'_id':'b'}");
        awaitRuns(2);
        change(two, "b", "n", "1");
        awaitRuns(3);
        Instant created = Instant.now();
        TestQueue.until(() -> Instant.now().isAfter(created.plusSeconds(1))); // a server tells the second only
        two.delete();
        two = sources.create("shop-2");
        save(two, "{'_id':'b'}");
        awaitRuns(4);
        assertThat(ran).extracting(data -> data.path("id").asText()).containsExactly("a", "b", "b", "b");
    }

    @Test
    void a_trigger_is_not_sent_back_to_a_position_that_its_source_refuses() throws Exception {
        sources.assumeNotPouchDb("refuses no position");
        queue.triggers().put(mails().build());
        save(orders, "{'_id':'o1'}");
        awaitRuns(1);
        TestQueue.until(() -> queue.triggers().status("mails").lag() == 0);
        String position = queue.triggers().status("mails").sources().get(0).position();
        assertThatThrownBy(() -> queue.triggers().replay("mails", "garbage"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("mails")
                .hasMessageContaining("garbage");
        assertThat(queue.triggers().status("mails").sources().get(0).position()).isEqualTo(position);
        queue.triggers().replay("mails", position);
        save(orders, "{'_id':'o2'}");
        // Twice, when it was taken before the trigger went back.
        TestQueue.until(
                () -> ran.stream().anyMatch(data -> data.path("id").asText().equals("o2")));
    }

    @Test
    void a_document_whose_long_id_has_a_surrogate_pair_where_it_is_shortened_makes_a_job() throws Exception {
        queue.triggers().put(mails().build());
        int before = 512 - 80 - 17 - ("mails:" + orders.name() + "/").length();
        for (int shift = 0; shift < 2; shift++) {
            save(orders, "{'_id':'" + "o".repeat(before - 1 - shift) + "\uD83D\uDE00".repeat(30) + "'}");
        }
        awaitRuns(2);
    }
}
