package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.json;
import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.Faults;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.Job;
import io.couchjobs.trigger.Outbox;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.type.Limit;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Entries of an outbox are marked or removed when their jobs are made, and only then. */
class OutboxEntriesTest extends FollowedOrders {
    private SourceFollower outbox(Outbox.Entries entries) {
        return follower(Trigger.named("t")
                .source("orders")
                .from("beginning")
                .outbox(entries)
                .build());
    }

    @Test
    void entries_that_cannot_be_marked_are_listed_and_hold_up_no_other_document() {
        SourceFollower follower = outbox(Outbox.Entries.MARK);
        save(orders, "{'_id':'o1','couchjobs':[{'type':'mail','id':'a'}]}");
        save(orders, "{'_id':'o2','couchjobs':[{'type':'mail','id':'b'}]}");
        couch.faults()
                .answer(
                        1,
                        request ->
                                request.method().equals("PUT") && request.path().contains("/orders/o1"),
                        403);
        assertThat(slice(follower)).isEmpty();
        assertThat(queue.all("mail")).hasSize(2);
        assertThat(orders.get("o2").orElseThrow().at("/couchjobs/0/made").asText())
                .isEqualTo("job:mail:b");
        assertThat(follower.position().errors()).singleElement().satisfies(error -> assertThat(error.docId())
                .isEqualTo("o1"));
    }

    @Test
    void a_document_with_more_entries_than_there_is_room_for_gets_all_its_jobs_one_after_the_other() {
        queue.types().change("mail", settings -> settings.with(Limit.QUEUED, 1));
        SourceFollower follower = outbox(Outbox.Entries.LEAVE);
        save(orders, "{'_id':'o1','couchjobs':[{'type':'mail','id':'a'},{'type':'mail','id':'b'}]}");
        var unused0 = slice(follower);
        assertThat(queue.all("mail")).hasSize(1);
        var unused1 = queue.cancel("mail", "a", CancelMode.IF_QUEUED);
        var unused2 = slice(follower);
        assertThat(queue.get("mail", "b")).isPresent();
    }

    @Test
    void an_entry_stays_until_its_own_job_is_made_though_a_job_of_another_type_has_its_id() {
        queue.types().change("sms", settings -> settings.with(Limit.QUEUED, 1));
        add("sms", "other");
        SourceFollower follower = outbox(Outbox.Entries.REMOVE);
        save(orders, "{'_id':'o1','couchjobs':[{'type':'mail','id':'same'},{'type':'sms','id':'same'}]}");
        var unused0 = slice(follower);
        assertThat(queue.get("mail", "same")).isPresent();
        assertThat(orders.get("o1").orElseThrow().path("couchjobs"))
                .isEqualTo(json("{'left':[{'type':'sms','id':'same'}]}").path("left"));
        var unused1 = queue.cancel("sms", "other", CancelMode.IF_QUEUED);
        var unused2 = slice(follower);
        assertThat(queue.get("sms", "same")).isPresent();
        assertThat(orders.get("o1").orElseThrow().has("couchjobs")).isFalse();
    }

    @Test
    void an_entry_that_the_user_adds_while_others_are_marked_makes_a_job_of_its_own() throws Exception {
        SourceFollower follower = outbox(Outbox.Entries.MARK);
        save(orders, "{'_id':'o1','couchjobs':[{'type':'mail','id':'same'}]}");
        Faults.Held mark = couch.faults()
                .delay(
                        1,
                        request ->
                                request.method().equals("PUT") && request.path().contains("/orders/o1"));
        CompletableFuture<Optional<Duration>> slow = CompletableFuture.supplyAsync(() -> slice(follower));
        assertThat(mark.awaitArrival(60)).isTrue();
        ObjectNode more = orders.get("o1").orElseThrow();
        more.withArray("/couchjobs").addObject().put("type", "sms").put("id", "same");
        save(orders, more.toString());
        mark.release();
        var unused0 = slow.get(1, TimeUnit.MINUTES);
        var unused1 = slice(follower);
        assertThat(queue.get("sms", "same")).isPresent();
        assertThat(orders.get("o1").orElseThrow().path("couchjobs").findValuesAsText("made"))
                .containsExactly("job:mail:same", "job:sms:same");
    }

    @Test
    void equal_entries_are_taken_out_together_when_the_jobs_of_all_of_them_are_made() {
        queue.types().change("mail", settings -> settings.with(Limit.QUEUED, 1));
        SourceFollower follower = outbox(Outbox.Entries.REMOVE);
        save(orders, "{'_id':'o1','couchjobs':[{'type':'mail'},{'type':'mail'}]}");
        var unused0 = slice(follower);
        List<Job> first = queue.all("mail").toList();
        assertThat(first).hasSize(1);
        assertThat(orders.get("o1").orElseThrow().path("couchjobs")).hasSize(2);
        var unused1 = queue.cancel(first.get(0).id(), CancelMode.IF_QUEUED);
        var unused2 = slice(follower);
        assertThat(queue.all("mail")).hasSize(2);
        assertThat(orders.get("o1").orElseThrow().has("couchjobs")).isFalse();
    }

    @Test
    void a_malformed_winner_beside_a_leaf_with_a_good_entry_is_listed_and_holds_up_no_other_document() {
        SourceFollower follower = outbox(Outbox.Entries.MARK);
        orders.bulkRevisions(List.of(
                json(
                        "{'_id':'o1','_rev':'1-aaaa','_revisions':{'start':1,'ids':['aaaa']},'couchjobs':[{'type':'mail','id':'a'}]}"),
                json("{'_id':'o1','_rev':'1-bbbb','_revisions':{'start':1,'ids':['bbbb']},'couchjobs':'x'}")));
        save(orders, "{'_id':'o2','couchjobs':[{'type':'mail','id':'b'}]}");
        assertThat(slice(follower)).isEmpty();
        assertThat(queue.all("mail").map(job -> job.id().id())).containsExactlyInAnyOrder("a", "b");
        assertThat(follower.position().errors())
                .anySatisfy(error -> assertThat(error.reason())
                        .contains("its entries could not be changed")
                        .contains("must be an array"))
                .allSatisfy(error -> assertThat(error.docId()).isEqualTo("o1"));
    }

    @Test
    void an_entry_that_two_documents_share_waits_for_room_in_both() {
        queue.types().change("mail", settings -> settings.with(Limit.QUEUED, 1));
        add("mail", "other");
        SourceFollower follower = outbox(Outbox.Entries.REMOVE);
        save(orders, "{'_id':'o1','couchjobs':[{'type':'mail','id':'same'}]}");
        save(orders, "{'_id':'o2','couchjobs':[{'type':'sms','id':'x'}]}");
        save(orders, "{'_id':'o3','couchjobs':[{'type':'mail','id':'same'}]}");
        var unused0 = slice(follower);
        assertThat(queue.get("mail", "same")).isEmpty();
        var unused1 = queue.cancel("mail", "other", CancelMode.IF_QUEUED);
        var unused2 = slice(follower);
        assertThat(queue.get("mail", "same")).isPresent();
        for (String order : List.of("o1", "o2", "o3")) {
            assertThat(orders.get(order).orElseThrow().has("couchjobs"))
                    .as(order)
                    .isFalse();
        }
    }

    @Test
    void an_entry_in_a_database_of_a_pattern_is_removed_when_its_job_is_made() {
        SourceFollower follower = follower(Trigger.named("t")
                .source("order*")
                .from("beginning")
                .outbox(Outbox.Entries.REMOVE)
                .build());
        save(orders, "{'_id':'o1','couchjobs':[{'type':'mail'}]}");
        assertThat(slice(follower)).isEmpty();
        assertThat(queue.all("mail"))
                .singleElement()
                .satisfies(job -> assertThat(job.id().id()).startsWith("orders:o1:"));
        assertThat(orders.get("o1").orElseThrow().has("couchjobs")).isFalse();
    }
}
