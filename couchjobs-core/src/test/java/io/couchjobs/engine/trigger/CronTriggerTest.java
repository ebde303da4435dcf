package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.json;
import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerBuilder;
import io.couchjobs.type.Limit;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A trigger with a cron expression takes all changes at its times, and sleeps between them. */
class CronTriggerTest extends FollowedOrders {
    private static final Instant ANOTHER_YEAR = Instant.parse("2020-02-02T00:00:00Z");

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
        try (Following following = new Following(tools, stored(trigger), () -> true)) {
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
    void the_next_follower_knows_of_a_time_of_the_cron_at_which_there_was_nothing_to_take() throws Exception {
        followedLast(ANOTHER_YEAR, Optional.empty());
        followUntil(yearly(), () -> isNoted("orders"));
    }

    private boolean isNoted(String database) {
        return tools.positions()
                .read("t", database)
                .flatMap(Position::last)
                .filter(last -> last.isAfter(ANOTHER_YEAR))
                .isPresent();
    }

    private static TriggerBuilder patterned() {
        return Trigger.named("t").source("order*").type("mail").cron("0 0 1 1 *", ZoneOffset.UTC);
    }

    private static Trigger ofPattern() {
        return patterned().build();
    }

    private void allCaughtUp(Instant at) {
        tools.starts().begin(ofPattern(), queue.database().server(), List.of("orders"));
        Position started = tools.positions().read("t", Positions.STARTED).orElseThrow();
        Position unused = tools.positions().move(started, started.after(Step.none(started.seq(), List.of()), at));
    }

    @Test
    void a_time_of_the_cron_is_noted_once_for_all_databases_of_a_pattern() throws Exception {
        followedLast(ANOTHER_YEAR, Optional.empty());
        allCaughtUp(ANOTHER_YEAR);
        save(orders, "{'_id':'order:1'}");
        followUntil(ofPattern(), () -> isNoted(Positions.STARTED));
        assertThat(queue.all("mail")).hasSize(1);
    }

    @Test
    void a_quiet_database_of_a_pattern_that_changes_after_a_time_of_the_cron_waits_for_the_next_one() throws Exception {
        followedLast(ANOTHER_YEAR, Optional.empty());
        allCaughtUp(Instant.now());
        save(orders, "{'_id':'order:1'}");
        AtomicInteger looks = new AtomicInteger();
        AtomicInteger feeds = new AtomicInteger();
        couch.faults()
                .answer(
                        1,
                        request -> {
                            if (request.path().startsWith("/orders/_changes")) {
                                feeds.incrementAndGet();
                            } else if (request.path().contains("follow")
                                    && request.path().contains("orders")) {
                                looks.incrementAndGet();
                            }
                            return false;
                        },
                        500);
        followUntil(ofPattern(), () -> looks.get() > 0);
        assertThat(feeds).hasValue(0);
    }

    @Test
    void one_that_has_caught_up_at_a_time_of_the_cron_waits_for_the_next_one() throws Exception {
        Trigger trigger = yearly();
        var unused = queue.triggers().put(trigger);
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
            FollowedDatabase database = new FollowedDatabase(
                    following, tools, trigger, "orders", orders, tools.jobTaker(trigger, orders, new LoopGuard()));
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

    private void began(String database) {
        Position first = Position.first("t", database, Position.BEGINNING, 0);
        Position unused = tools.positions().begin(first.since(ANOTHER_YEAR));
    }

    @Test
    void the_first_time_of_the_cron_is_not_skipped_when_nobody_followed_then() throws Exception {
        began("orders");
        save(orders, "{'_id':'order:1'}");
        followUntil(yearly(), () -> queue.all("mail").count() == 1);
    }

    @Test
    void the_first_time_of_the_cron_is_noted_for_a_pattern_though_nobody_followed_then() throws Exception {
        began(Positions.STARTED);
        save(orders, "{'_id':'order:1'}");
        followUntil(ofPattern(), () -> isNoted(Positions.STARTED));
    }

    @Test
    void the_ends_that_are_listened_to_without_pause_do_not_keep_a_pattern_from_noting_a_time_of_the_cron() {
        Trigger trigger = patterned().writeBack("/status").build();
        try (Following following = new Following(tools, trigger, () -> true)) {
            FollowedDatabase ends = new FollowedDatabase(
                    following,
                    tools,
                    trigger,
                    Positions.ENDS,
                    queue.database(),
                    tools.endTaker(trigger, JsonPointer.valueOf("/status")));
            assertThat(ends.hasCaughtUp(Instant.now())).isTrue();
        }
    }
}
