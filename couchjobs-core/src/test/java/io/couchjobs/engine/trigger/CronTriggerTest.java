package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.json;
import static io.couchjobs.testing.SourceDatabases.save;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.trigger.Trigger;
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
}
