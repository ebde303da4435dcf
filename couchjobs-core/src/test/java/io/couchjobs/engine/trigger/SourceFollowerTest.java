package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.change;
import static io.couchjobs.testing.SourceDatabases.json;
import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.embedded.Faults;
import io.couchjobs.engine.create.AddRules;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.SteppedParts;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.trigger.Outbox;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerBuilder;
import io.couchjobs.type.Limit;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One database is followed, slice by slice. */
class SourceFollowerTest extends FaultyServer {
    private static final Instant ANOTHER_YEAR = Instant.parse("2020-02-02T00:00:00Z");

    private CouchDatabase orders;
    private SteppedParts parts;
    private FollowerTools tools;

    @BeforeEach
    void openParts() {
        orders = queue.database().server().database("orders");
        boolean unused = orders.createIfMissing();
        parts = new SteppedParts(queue);
        tools = new FollowerTools(
                parts.parts(),
                new Creator(parts.parts().store(), parts.parts().clock()),
                new AddRules(parts.parts(), false),
                new Sources(queue.database().server(), Map.of()));
    }

    @AfterEach
    void closeParts() {
        couch.faults().clear();
        parts.close();
    }

    private static TriggerBuilder mails() {
        return Trigger.named("t").source("orders").type("mail").from("beginning");
    }

    private SourceFollower follower(Trigger trigger) {
        return new SourceFollower(
                orders,
                tools.positions(),
                tools.starts().position(trigger, "orders", orders, false),
                tools.jobTaker(trigger, orders),
                tools.clock(),
                tools.environment());
    }

    private static Optional<Duration> slice(SourceFollower follower) {
        return follower.slice(() -> false, () -> true);
    }

    @Test
    void one_that_found_nothing_has_nothing_to_do_until_there_is_news() {
        assertThat(slice(follower(mails().build()))).isEmpty();
    }

    @Test
    void many_changes_that_concern_nobody_end_a_slice_and_the_next_one_follows_at_once() {
        List<ObjectNode> notes = new ArrayList<>();
        for (int i = 0; i < SourceFollower.LONGEST_SLICE; i++) {
            notes.add(json("{'_id':'note:" + i + "'}"));
        }
        var unused = orders.bulkDocs(notes);
        save(orders, "{'_id':'order:1'}");
        SourceFollower follower = follower(mails().prefixes("order:").build());
        assertThat(slice(follower)).contains(Duration.ZERO);
        assertThat(queue.all("mail")).isEmpty();
        assertThat(slice(follower)).isNotEqualTo(Optional.of(Duration.ZERO));
        assertThat(queue.all("mail")).hasSize(1);
    }

    /** One of 20 changes has a position here, and the seven notes shift the end of the first step away from it. */
    @Test
    void what_was_taken_of_a_backlog_is_not_taken_again_by_the_next_follower() {
        int all = Taker.Size.USUAL.most() + 100;
        List<ObjectNode> changes = new ArrayList<>();
        for (int i = 0; i < all; i++) {
            changes.add(json("{'_id':'" + (i < 7 ? "note:" : "order:") + i + "'}"));
        }
        var unused0 = orders.bulkDocs(changes);
        Trigger trigger = mails().prefixes("order:").build();
        SourceFollower first = follower(trigger);
        var unused1 = first.slice(() -> false, () -> taken(first) == 0);
        assertThat(taken(first)).isBetween(1, all - 8);
        SourceFollower second = follower(trigger);
        var unused2 = slice(second);
        assertThat(taken(second)).isEqualTo(all - 7);
        assertThat(queue.all("mail")).hasSize(all - 7);
    }

    private static int taken(SourceFollower follower) {
        return follower.position().toDocument().path("changes").asInt();
    }

    @Test
    void each_change_of_a_backlog_has_a_position_of_its_own_when_a_template_names_it() {
        for (int i = 0; i < 30; i++) {
            save(orders, "{'_id':'order:" + i + "'}");
        }
        Optional<Duration> unused =
                slice(follower(mails().data(json("{'at':'{seq}'}")).build()));
        assertThat(queue.all("mail").map(job -> job.data().path("at").asText()).distinct())
                .hasSize(30);
    }

    @Test
    void large_documents_are_taken_a_few_at_a_time() {
        String text = "x".repeat(1_000_000);
        for (int i = 0; i < 20; i++) {
            save(orders, "{'_id':'order:" + i + "','text':'" + text + "'}");
        }
        Optional<Duration> unused = slice(follower(
                mails().ignoreOwn("/mine").batch(100, Duration.ofMinutes(1)).build()));
        assertThat(queue.all("mail").map(job -> job.data().path("changes").size()))
                .containsExactlyInAnyOrder(8, 8, 4);
    }

    @Test
    void a_few_changes_that_concern_nobody_are_stored_some_time_later() {
        save(orders, "{'_id':'note:1'}");
        SourceFollower follower = follower(mails().prefixes("order:").build());
        assertThat(slice(follower))
                .hasValueSatisfying(later -> assertThat(later).isPositive());
    }

    @Test
    void a_connection_that_ended_is_followed_by_another_one_soon() {
        SourceFollower follower = follower(mails().build());
        boolean[] went = new boolean[1];
        Optional<Duration> pause = follower.slice(() -> true, () -> !went[0] && (went[0] = true));
        assertThat(pause).hasValueSatisfying(soon -> assertThat(soon).isLessThan(Duration.ofSeconds(1)));
    }

    @Test
    void a_position_that_somebody_moves_while_it_is_being_read_is_read_once_more() throws Exception {
        Trigger trigger = mails().build();
        save(orders, "{'_id':'o1'}");
        try (Following following = new Following(tools, trigger, () -> true)) {
            FollowedDatabase unread =
                    new FollowedDatabase(following, tools, trigger, "orders", orders, tools.jobTaker(trigger, orders));
            unread.moved(Position.docId("t", "orders"), "2-a");
            TestQueue.until(() -> queue.all("mail").count() == 1);
        }
    }

    @Test
    void a_trigger_of_many_databases_stops_at_once_though_the_server_has_no_news_of_them() throws Exception {
        Faults.Held silent = couch.faults()
                .delay(Integer.MAX_VALUE, request -> request.path().startsWith("/_db_updates"));
        Trigger trigger = Trigger.named("t").source("order*").type("mail").build();
        try (Following following = new Following(tools, trigger, () -> true)) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(following));
            assertThat(silent.awaitArrival(60)).isTrue();
            following.changed(Trigger.docId("t"), "2-a");
            running.get(1, TimeUnit.MINUTES);
        }
    }

    @Test
    void one_whose_lease_was_over_for_a_moment_ends_though_only_one_of_its_threads_saw_that() throws Exception {
        Trigger trigger = Trigger.named("t").source("order*").type("mail").build();
        AtomicReference<Thread> runner = new AtomicReference<>();
        AtomicBoolean isOwner = new AtomicBoolean(true);
        try (Following following = new Following(
                tools, trigger, () -> Thread.currentThread() == runner.get() || isOwner.getAndSet(true))) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> {
                runner.set(Thread.currentThread());
                run(following);
            });
            TestQueue.until(() -> tools.positions().read("t", "orders").isPresent());
            isOwner.set(false);
            save(orders, "{'_id':'o1'}");
            running.get(1, TimeUnit.MINUTES);
        }
    }

    private static void run(Following following) {
        try {
            following.run();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void a_problem_is_not_noted_over_a_position_that_somebody_else_has_moved() {
        SourceFollower slow = follower(mails().build());
        save(orders, "{'_id':'o1'}");
        assertThat(slice(follower(mails().build()))).isEmpty();
        assertThatThrownBy(() -> slow.note(Optional.of("403"))).isInstanceOf(Positions.MovedException.class);
    }

    @Test
    void entries_that_cannot_be_marked_are_listed_and_hold_up_no_other_document() {
        SourceFollower follower = follower(Trigger.named("t")
                .source("orders")
                .from("beginning")
                .outbox(Outbox.Entries.MARK)
                .build());
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
    void a_backlog_is_read_on_at_once_when_a_connection_to_listen_on_becomes_free_meanwhile() {
        save(orders, "{'_id':'o1'}");
        AtomicBoolean isFree = new AtomicBoolean();
        assertThat(follower(mails().build()).slice(() -> isFree.getAndSet(true), () -> true))
                .contains(Duration.ZERO);
    }

    @Test
    void a_change_that_waits_for_room_is_one_change_however_often_it_is_looked_at() {
        queue.types().change("mail", settings -> settings.with(Limit.QUEUED, 1));
        SourceFollower follower = follower(mails().build());
        save(orders, "{'_id':'o1'}");
        assertThat(slice(follower)).isEmpty();
        save(orders, "{'_id':'o2'}");
        for (int i = 0; i < 2 * LoopGuard.MOST; i++) {
            assertThat(slice(follower)).isPresent();
        }
        queue.remove(queue.all("mail").findAny().orElseThrow().id());
        assertThat(slice(follower)).isEmpty();
        assertThat(follower.position().problem()).isEmpty();
        assertThat(queue.all("mail")).singleElement().satisfies(job -> assertThat(job.scheduledTime())
                .isBefore(Instant.now().plusSeconds(5)));
    }

    @Test
    void a_document_that_changes_very_often_makes_its_delayed_job_no_earlier() {
        Duration delay = Duration.ofHours(1);
        SourceFollower follower = follower(mails().delay(delay).build());
        Instant begun = Instant.now();
        save(orders, "{'_id':'o1'}");
        for (int i = 0; i <= LoopGuard.MOST; i++) {
            assertThat(slice(follower)).isEmpty();
            change(orders, "o1", "n", String.valueOf(i));
        }
        assertThat(slice(follower)).isEmpty();
        assertThat(follower.position().problem().orElseThrow()).contains("o1 changed more than");
        assertThat(queue.all("mail")).singleElement().satisfies(job -> assertThat(job.scheduledTime())
                .isAfter(begun.plus(delay).minusSeconds(5)));
    }

    /** Its time has come when it followed last in another year, and the next one is far away. */
    private static Trigger yearly() {
        return mails().prefixes("order:").cron("0 0 1 1 *", ZoneOffset.UTC).build();
    }

    private void followedLast(Instant at, Optional<Instant> behind) {
        Position first = tools.starts().position(yearly(), "orders", orders, false);
        Position unused = tools.positions()
                .move(first, first.after(Step.none(first.seq(), List.of()), at).behind(behind));
    }

    private void followUntil(Trigger trigger, Callable<Boolean> holds) throws Exception {
        try (Following following = new Following(tools, trigger, () -> true)) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(following));
            TestQueue.until(holds);
            following.changed(Trigger.docId("t"), "2-a");
            running.get(1, TimeUnit.MINUTES);
        }
    }

    @Test
    void a_backlog_of_more_than_one_slice_is_read_to_its_end_at_one_time_of_the_cron() throws Exception {
        followedLast(ANOTHER_YEAR, Optional.empty());
        List<ObjectNode> notes = new ArrayList<>();
        for (int i = 0; i < SourceFollower.LONGEST_SLICE; i++) {
            notes.add(json("{'_id':'note:" + i + "'}"));
        }
        var unused = orders.bulkDocs(notes);
        save(orders, "{'_id':'order:1'}");
        followUntil(yearly(), () -> queue.all("mail").count() == 1);
    }

    @Test
    void a_time_of_the_cron_at_which_the_server_answers_an_error_is_not_skipped() throws Exception {
        followedLast(ANOTHER_YEAR, Optional.empty());
        save(orders, "{'_id':'order:1'}");
        couch.faults().answer(2, request -> request.path().startsWith("/orders/_changes"), 500);
        followUntil(yearly(), () -> queue.all("mail").count() == 1);
    }

    @Test
    void changes_that_find_no_room_at_a_time_of_the_cron_make_their_jobs_when_there_is_room() throws Exception {
        queue.types().change("mail", settings -> settings.with(Limit.QUEUED, 1));
        followedLast(ANOTHER_YEAR, Optional.empty());
        save(orders, "{'_id':'order:1'}");
        save(orders, "{'_id':'order:2'}");
        AtomicInteger removed = new AtomicInteger();
        followUntil(yearly(), () -> {
            queue.all("mail").findAny().ifPresent(job -> {
                queue.remove(job.id());
                removed.incrementAndGet();
            });
            return removed.get() == 2;
        });
    }

    @Test
    void another_follower_ends_what_the_one_before_began_at_a_time_of_the_cron() throws Exception {
        followedLast(Instant.now(), Optional.of(Instant.now()));
        save(orders, "{'_id':'order:1'}");
        followUntil(yearly(), () -> queue.all("mail").count() == 1);
    }

    @Test
    void one_that_has_caught_up_at_a_time_of_the_cron_waits_for_the_next_one() throws Exception {
        Trigger trigger = yearly();
        followedLast(ANOTHER_YEAR, Optional.empty());
        save(orders, "{'_id':'order:1'}");
        AtomicInteger feeds = new AtomicInteger();
        List<Integer> feedsBeforeLook = new CopyOnWriteArrayList<>();
        couch.faults()
                .answer(
                        1,
                        request -> {
                            if (request.path().startsWith("/orders/_changes")) {
                                feeds.incrementAndGet();
                            } else if (request.method().equals("GET")
                                    && request.path().contains("follow")) {
                                feedsBeforeLook.add(feeds.get());
                            }
                            return false;
                        },
                        500);
        try (Following following = new Following(tools, trigger, () -> true)) {
            FollowedDatabase database =
                    new FollowedDatabase(following, tools, trigger, "orders", orders, tools.jobTaker(trigger, orders));
            database.wake();
            TestQueue.until(() -> queue.all("mail").count() == 1 && feeds.get() > 0);
            TestQueue.until(Duration.ofMillis(200), () -> {
                feedsBeforeLook.clear();
                for (int i = 1; i <= 2; i++) {
                    int looks = i;
                    database.moved(Position.docId("t", "orders"), "99-a");
                    TestQueue.until(() -> feedsBeforeLook.size() >= looks);
                }
                return feedsBeforeLook.get(0).equals(feedsBeforeLook.get(1));
            });
        }
    }

    private SourceFollower outbox(Outbox.Entries entries) {
        return follower(Trigger.named("t")
                .source("orders")
                .from("beginning")
                .outbox(entries)
                .build());
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
    void a_change_during_a_run_makes_no_job_when_the_selector_does_not_select_the_document_any_more() {
        Trigger trigger =
                mails().selector(json("{'status':'paid'}")).includeDoc().build();
        SourceFollower follower = follower(trigger);
        save(orders, "{'_id':'o1','status':'paid','n':'0'}");
        var unused0 = slice(follower);
        ClaimedJob run = queue.claim(queue.all("mail").toList().get(0).id()).orElseThrow();
        change(orders, "o1", "n", "1");
        var unused1 = slice(follower);
        assertThat(follower.position().owed()).hasSize(1);
        change(orders, "o1", "status", "refunded");
        var unused2 = slice(follower);
        run.finish();
        var unused3 = slice(follower(trigger));
        Job job = queue.all("mail").toList().get(0);
        assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(job.data().at("/doc/n").asText()).isEqualTo("0");
        assertThat(tools.starts().position(trigger, "orders", orders, false).owed())
                .isEmpty();
    }

    @Test
    void the_last_of_several_selected_changes_during_a_run_makes_one_more_run() {
        Trigger trigger =
                mails().selector(json("{'status':'paid'}")).includeDoc().build();
        SourceFollower follower = follower(trigger);
        save(orders, "{'_id':'o1','status':'paid','n':'0'}");
        var unused0 = slice(follower);
        ClaimedJob run = queue.claim(queue.all("mail").toList().get(0).id()).orElseThrow();
        change(orders, "o1", "n", "1");
        var unused1 = slice(follower);
        String last = change(orders, "o1", "n", "2");
        var unused2 = slice(follower);
        assertThat(follower.position().owed()).singleElement().satisfies(change -> assertThat(change.rev())
                .isEqualTo(last));
        run.finish();
        var unused3 = slice(follower(trigger));
        Job job = queue.all("mail").toList().get(0);
        assertThat(job.phase()).isEqualTo(JobPhase.PENDING);
        assertThat(job.data().at("/doc/n").asText()).isEqualTo("2");
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
        Trigger trigger = mails().deliver(Trigger.Delivery.EVERY)
                .batch(2, Duration.ofMinutes(1))
                .includeDoc()
                .build();
        String forgotten = save(orders, "{'_id':'o1'}");
        save(orders, "{'_id':'o2'}");
        couch.faults()
                .answer(
                        1000,
                        request -> request.path().contains("mail")
                                || request.path().contains("/jobs/_bulk_docs"),
                        500);
        assertThatThrownBy(() -> slice(follower(trigger))).isInstanceOf(CouchException.class);
        couch.faults().clear();
        assertThat(queue.all("mail")).isEmpty();
        change(orders, "o1", "n", "1");
        orders.compact();
        SourceFollower next = follower(trigger);
        assertThat(next.position().owed()).hasSize(2);
        var unused = slice(next);
        assertThat(queue.all("mail").flatMap(job -> job.data().path("changes").findValuesAsText("id").stream()))
                .containsExactlyInAnyOrder("o1", "o2");
        assertThat(next.position().errors()).singleElement().satisfies(error -> {
            assertThat(error.rev()).isEqualTo(forgotten);
            assertThat(error.reason()).contains("forgotten");
        });
    }
}
