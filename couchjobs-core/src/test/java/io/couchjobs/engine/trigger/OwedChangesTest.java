package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.change;
import static io.couchjobs.testing.SourceDatabases.json;
import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.trigger.Outbox;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerBuilder;
import io.couchjobs.trigger.TriggerStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes that waited for the end of a run, or failed, are read once more: the documents as they are then. */
class OwedChangesTest extends FollowedOrders {
    /** For batches that nothing fills. */
    private static final Duration WAIT = Duration.ofMillis(200);
    /** For batches that are filled, however slowly. */
    private static final Duration LONG_WAIT = Duration.ofMinutes(10);

    private static final Trigger PAID =
            mails().selector(json("{'status':'paid'}")).includeDoc().build();

    private static void untilNothingIsLeft(SourceFollower follower) {
        while (slice(follower).isPresent()) {
            Thread.onSpinWait();
        }
    }

    /** The run of the job of an order, of which another change waits for the end of the run. */
    private ClaimedJob savedOnceMoreWhileItRuns(SourceFollower follower) {
        save(orders, "{'_id':'o1','status':'paid','n':'0'}");
        var unused0 = slice(follower);
        ClaimedJob run = queue.claim(job().id()).orElseThrow();
        change(orders, "o1", "n", "1");
        var unused1 = slice(follower);
        assertThat(follower.position().owed()).hasSize(1);
        return run;
    }

    private Job job() {
        return queue.all("mail").findFirst().orElseThrow();
    }

    @Test
    void a_change_during_a_run_makes_no_job_when_the_selector_does_not_select_the_document_any_more() {
        SourceFollower follower = follower(PAID);
        ClaimedJob run = savedOnceMoreWhileItRuns(follower);
        change(orders, "o1", "status", "refunded");
        var unused0 = slice(follower);
        run.finish();
        var unused1 = slice(follower(PAID));
        Job job = job();
        assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(job.data().at("/doc/n").asText()).isEqualTo("0");
        assertThat(tools.starts().position(PAID, "orders", orders, false).owed())
                .isEmpty();
    }

    @Test
    void the_last_of_several_selected_changes_during_a_run_makes_one_more_run() {
        SourceFollower follower = follower(PAID);
        ClaimedJob run = savedOnceMoreWhileItRuns(follower);
        String last = change(orders, "o1", "n", "2");
        var unused0 = slice(follower);
        assertThat(follower.position().owed()).singleElement().satisfies(change -> assertThat(change.rev())
                .isEqualTo(last));
        run.finish();
        var unused1 = slice(follower(PAID));
        Job job = job();
        assertThat(job.phase()).isEqualTo(JobPhase.PENDING);
        assertThat(job.data().at("/doc/n").asText()).isEqualTo("2");
    }

    @Test
    void a_deletion_during_a_run_makes_one_more_run_with_what_its_tombstone_says() {
        Trigger trigger =
                mails().data(json("{'reason':'{/reason?}','n':'{/n}'}")).build();
        SourceFollower follower = follower(trigger);
        ClaimedJob run = savedOnceMoreWhileItRuns(follower);
        ObjectNode deletion =
                orders.get("o1").orElseThrow().put("_deleted", true).put("reason", "fraud");
        save(orders, deletion.toString());
        var unused0 = slice(follower);
        run.finish();
        SourceFollower next = follower(trigger);
        var unused1 = slice(next);
        assertThat(next.position().errors()).isEmpty();
        assertThat(job().phase()).isEqualTo(JobPhase.PENDING);
        assertThat(job().data()).isEqualTo(json("{'reason':'fraud','n':'1'}"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_change_during_a_run_makes_one_more_run_though_the_handler_wrote_the_document_after_it(boolean hasSelector) {
        TriggerBuilder all = mails().ignoreOwn("/changedBy").includeDoc();
        Trigger trigger = (hasSelector ? all.selector(json("{'status':'paid'}")) : all).build();
        SourceFollower follower = follower(trigger);
        ClaimedJob run = savedOnceMoreWhileItRuns(follower);
        change(orders, "o1", "changedBy", "t");
        var unused0 = slice(follower);
        run.finish();
        var unused1 = slice(follower(trigger));
        assertThat(job().phase()).isEqualTo(JobPhase.PENDING);
        assertThat(job().data().at("/doc/n").asText()).isEqualTo("1");

        queue.claim(job().id()).orElseThrow().finish();
        change(orders, "o1", "changedBy", "t");
        var unused2 = slice(follower(trigger));
        assertThat(job().phase()).isEqualTo(JobPhase.FINISHED);
    }

    @Test
    void a_change_during_a_run_makes_none_when_the_handler_wrote_the_document_so_that_it_is_not_selected() {
        Trigger trigger = mails().selector(json("{'status':'paid'}"))
                .ignoreOwn("/changedBy")
                .build();
        SourceFollower follower = follower(trigger);
        ClaimedJob run = savedOnceMoreWhileItRuns(follower);
        ObjectNode sent = orders.get("o1").orElseThrow().put("status", "sent").put("changedBy", "t");
        save(orders, sent.toString());
        run.finish();
        var unused1 = slice(follower(trigger));
        assertThat(job().phase()).isEqualTo(JobPhase.FINISHED);
    }

    @Test
    void a_change_that_failed_is_tried_again_only_while_the_selector_selects_its_document() {
        Trigger trigger = mails().selector(json("{'status':'paid'}"))
                .data(json("{'to':'{/mail}'}"))
                .build();
        SourceFollower follower = follower(trigger);
        save(orders, "{'_id':'o1','status':'paid'}");
        var unused0 = slice(follower);
        assertThat(follower.position().errors()).hasSize(1);
        ObjectNode refunded = orders.get("o1").orElseThrow().put("mail", "x").put("status", "refunded");
        save(orders, refunded.toString());
        Position unused1 = tools.positions().change(follower.position(), Position::retrying);
        SourceFollower next = follower(trigger);
        var unused2 = slice(next);
        assertThat(next.position().owed()).isEmpty();
        assertThat(queue.all("mail")).isEmpty();
    }

    @Test
    void a_revision_of_a_batch_that_the_database_has_forgotten_is_listed_and_the_others_make_their_job() {
        TriggerBuilder every = mails().deliver(Trigger.Delivery.EVERY).includeDoc();
        String forgotten = save(orders, "{'_id':'o1'}");
        save(orders, "{'_id':'o2'}");
        couch.faults()
                .answer(
                        1000,
                        request -> request.path().contains("mail")
                                || request.path().contains("/jobs/_bulk_docs"),
                        500);
        SourceFollower first = follower(every.batch(2, LONG_WAIT).build());
        assertThatThrownBy(() -> untilNothingIsLeft(first)).isInstanceOf(CouchException.class);
        couch.faults().clear();
        assertThat(queue.all("mail")).isEmpty();
        change(orders, "o1", "n", "1");
        orders.compact();
        SourceFollower next = follower(every.batch(2, WAIT).build());
        assertThat(next.position().owed()).hasSize(2);
        untilNothingIsLeft(next);
        assertThat(queue.all("mail").flatMap(job -> job.data().path("changes").findValuesAsText("id").stream()))
                .containsExactlyInAnyOrder("o1", "o2");
        assertThat(next.position().errors()).singleElement().satisfies(error -> {
            assertThat(error.rev()).isEqualTo(forgotten);
            assertThat(error.reason()).contains("forgotten");
        });
    }

    @Test
    void changes_that_are_tried_again_are_in_no_batch_whose_job_may_have_been_made() {
        TriggerBuilder every = mails().deliver(Trigger.Delivery.EVERY).data(json("{'to':'{/mail}'}"));
        Trigger ofThree = every.batch(3, WAIT).build();
        save(orders, "{'_id':'o1'}");
        SourceFollower lonely = follower(ofThree);
        untilNothingIsLeft(lonely);
        assertThat(lonely.position().errors()).hasSize(1);
        SourceFollower first = follower(every.batch(2, LONG_WAIT).build());
        save(orders, "{'_id':'o2','mail':'x'}");
        save(orders, "{'_id':'o3','mail':'y'}");
        AtomicBoolean isMade = new AtomicBoolean();
        couch.faults()
                .answer(
                        1000,
                        request -> {
                            isMade.compareAndSet(false, request.path().contains("/jobs/_bulk_docs"));
                            return isMade.get() && request.path().contains("/jobs/follow");
                        },
                        500);
        assertThatThrownBy(() -> untilNothingIsLeft(first)).isInstanceOf(CouchException.class);
        couch.faults().clear();
        assertThat(queue.all("mail")).hasSize(1);
        Position retried = tools.positions().change(first.position(), Position::retrying);
        assertThat(retried.owed()).extracting(SourceChange::id).containsExactly("o2", "o3", "o1");

        SourceFollower next = follower(ofThree);
        untilNothingIsLeft(next);
        assertThat(queue.all("mail")).hasSize(1);
        assertThat(next.position().errors())
                .extracting(TriggerStatus.Failure::docId)
                .containsExactly("o1");
    }

    @Test
    void the_entries_of_a_losing_leaf_that_waited_are_read_from_that_leaf() {
        orders.bulkRevisions(Stream.of("aaaa", "bbbb")
                .map(rev -> json("{'_id':'o1','_rev':'1-" + rev + "','_revisions':{'start':1,'ids':['" + rev
                        + "']},'couchjobs':[{'type':'mail','id':'" + rev + "'}]}"))
                .toList());
        SourceReader reader = new SourceReader(
                Trigger.named("t").source("orders").outbox(Outbox.Entries.LEAVE).build(), orders);
        List<SourceChange> owed = Stream.of("1-aaaa", "1-bbbb", "1-cccc")
                .map(rev -> new SourceChange("orders", "o1", rev, "1", false, null))
                .toList();
        assertThat(reader.again(owed))
                .extracting(change -> change.orElseThrow().rev())
                .as("one that is no leaf any more is read as the winner")
                .containsExactly("1-aaaa", "1-bbbb", "1-bbbb");
        assertThat(owed.stream().map(reader::key)).doesNotHaveDuplicates();
    }
}
