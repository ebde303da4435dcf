package io.couchjobs.engine.trigger;

import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.Faults;
import io.couchjobs.engine.worker.QueueWorker;
import io.couchjobs.engine.worker.WorkerHook;
import io.couchjobs.job.JobPhase;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerStatus;
import io.couchjobs.worker.Worker;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads follow the databases of a trigger, and end together. */
class FollowingTest extends FollowedOrders {
    @Test
    void a_position_that_somebody_moves_while_it_is_being_read_is_read_once_more() throws Exception {
        Trigger trigger = stored(mails().build());
        save(orders, "{'_id':'o1'}");
        try (Following following = new Following(tools, trigger, () -> true)) {
            FollowedDatabase unread = new FollowedDatabase(
                    following, tools, trigger, "orders", orders, tools.jobTaker(trigger, orders, new LoopGuard()));
            unread.moved(Position.docId("t", "orders"), "2-a");
            TestQueue.until(() -> queue.all("mail").count() == 1);
        }
    }

    @Test
    void a_database_is_followed_on_after_an_error_of_the_machine() throws Exception {
        Trigger trigger = stored(mails().build());
        save(orders, "{'_id':'o1'}");
        Taker failing = new FailingOnce(tools.jobTaker(trigger, orders, new LoopGuard()));
        try (Following following = new Following(tools, trigger, () -> true)) {
            boolean unused = new FollowedDatabase(following, tools, trigger, "orders", orders, failing).wake();
            TestQueue.until(() -> queue.all("mail").count() == 1);
        }
    }

    @Test
    void an_error_in_the_search_for_databases_ends_the_run_so_that_another_one_follows() throws Exception {
        Trigger trigger =
                stored(Trigger.named("t").source("order*").type("mail").build());
        try (Following following = new Following(tools, trigger, FollowingTest::isOwnerUnlessItReadsNews)) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(following));
            assertThatThrownBy(() -> running.get(1, TimeUnit.MINUTES)).hasRootCauseInstanceOf(StackOverflowError.class);
        }
    }

    private static boolean isOwnerUnlessItReadsNews() {
        if (Thread.currentThread().getName().startsWith("couchjobs-trigger-news")) {
            throw new StackOverflowError();
        }
        return true;
    }

    @Test
    void a_pattern_whose_databases_cannot_be_listed_says_so_until_they_can() throws Exception {
        Trigger trigger = queue.triggers()
                .put(Trigger.named("t").source("order*").type("mail").build());
        couch.faults().answer(Integer.MAX_VALUE, request -> request.path().startsWith("/_all_dbs"), 403);
        try (Following following = new Following(tools, trigger, () -> true)) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(following));
            TestQueue.until(
                    () -> problem("order*").filter(text -> text.contains("403")).isPresent());
            couch.faults().clear();
            TestQueue.until(() -> problem("order*").isEmpty());
            assertThat(queue.triggers().status("t").sources())
                    .extracting(TriggerStatus.Source::database)
                    .containsExactly("orders");
            following.end();
            running.get(1, TimeUnit.MINUTES);
        }
    }

    @Test
    void a_source_that_never_could_be_read_says_why_until_it_can() throws Exception {
        Trigger trigger = stored(mails().build());
        save(orders, "{'_id':'o1'}");
        couch.faults().answer(Integer.MAX_VALUE, request -> request.path().startsWith("/orders"), 403);
        try (Following following = new Following(tools, trigger, () -> true)) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(following));
            TestQueue.until(
                    () -> problem("orders").filter(text -> text.contains("403")).isPresent());
            couch.faults().clear();
            TestQueue.until(
                    () -> queue.all("mail").count() == 1 && problem("orders").isEmpty());
            following.end();
            running.get(1, TimeUnit.MINUTES);
        }
        assertThat(queue.triggers().status("t").sources()).hasSize(1);
    }

    @Test
    void a_new_database_that_could_not_be_read_is_no_problem_any_more_when_it_is_deleted() throws Exception {
        Trigger trigger = queue.triggers().put(mails().source("order*").build());
        couch.faults()
                .answer(
                        Integer.MAX_VALUE,
                        request -> !request.method().equals("PUT")
                                && request.path().startsWith("/order0"),
                        403);
        try (Following following = new Following(tools, trigger, () -> true)) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(following));
            CouchDatabase going = queue.database().server().database("order0");
            boolean unused = going.createIfMissing();
            TestQueue.until(() -> problem("order0").isPresent());
            couch.faults().clear();
            going.delete();
            TestQueue.until(() -> problem("order0").isEmpty());
            following.end();
            running.get(1, TimeUnit.MINUTES);
        }
        assertThat(tools.positions().read("t", "order0")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"orders", "order*"})
    void the_problem_of_what_a_trigger_followed_before_is_over(String source) throws Exception {
        Trigger trigger = queue.triggers().put(mails().source(source).build());
        tools.troubles().note(trigger, "order0", "it is away");
        tools.troubles().note(trigger, "ord*", "it is away");
        try (Following following = new Following(tools, trigger, () -> true)) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(following));
            TestQueue.until(() -> tools.positions().readAll("t").stream()
                    .noneMatch(position -> Troubles.source(position).isPresent()));
            following.end();
            running.get(1, TimeUnit.MINUTES);
        }
    }

    @Test
    void a_source_that_never_could_be_read_has_no_position() {
        Trigger trigger = stored(mails().build());
        tools.troubles().note(trigger, "orders", "it is away");
        assertThat(queue.triggers().status("t").sources()).singleElement().satisfies(source -> {
            assertThat(source.position()).isEmpty();
            assertThat(source.problem()).contains("it is away");
        });
    }

    @Test
    void a_database_that_cannot_be_read_does_not_hold_up_the_others_of_a_new_pattern() throws Exception {
        Trigger trigger = stored(mails().source("order*").build());
        boolean unused = queue.database().server().database("order0").createIfMissing();
        save(orders, "{'_id':'o1'}");
        couch.faults().answer(Integer.MAX_VALUE, request -> request.path().startsWith("/_dbs_info"), 404);
        couch.faults().answer(Integer.MAX_VALUE, request -> request.path().startsWith("/order0"), 403);
        try (Following following = new Following(tools, trigger, () -> true)) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(following));
            TestQueue.until(() -> queue.all("mail").count() == 1);
            assertThat(problem("order0")).isPresent();
            couch.faults().clear();
            TestQueue.until(() -> problem("order0").isEmpty());
            following.end();
            running.get(1, TimeUnit.MINUTES);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {403, 500})
    void a_database_that_is_created_while_another_one_of_a_new_pattern_cannot_be_read_makes_a_job_of_its_first_change(
            int status) throws Exception {
        CouchDatabase unreadable = created("orders-1");
        save(unreadable, "{'_id':'old'}");
        refuse("/orders-1", status);
        Trigger trigger =
                queue.triggers().put(mails().source("order*").from("now").build());
        save(created("orders-2"), "{'_id':'first'}");
        try (Following following = new Following(tools, trigger, () -> true)) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(following));
            TestQueue.until(() -> documents().equals(Set.of("first")));
            assertThat(problem("orders-1")).isPresent();
            couch.faults().clear();
            TestQueue.until(() -> tools.positions().read("t", "orders-1").isPresent());
            save(unreadable, "{'_id':'new'}");
            TestQueue.until(
                    () -> documents().contains("new") && problem("orders-1").isEmpty());
            assertThat(documents()).containsExactlyInAnyOrder("first", "new");
            following.end();
            running.get(1, TimeUnit.MINUTES);
        }
        assertThat(tools.positions().readAll("t"))
                .noneMatch(position -> Troubles.source(position).isPresent());
    }

    @Test
    void a_pattern_is_sent_back_though_one_of_its_databases_cannot_be_read_yet() throws Exception {
        save(created("orders-1"), "{'_id':'old'}");
        refuse("/orders-1", 403);
        Trigger trigger =
                queue.triggers().put(mails().source("order*").from("now").build());
        queue.triggers().replay("t", "beginning");
        couch.faults().clear();
        try (Following following = new Following(tools, trigger, () -> true)) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(following));
            TestQueue.until(() -> documents().equals(Set.of("old")));
            following.end();
            running.get(1, TimeUnit.MINUTES);
        }
    }

    private CouchDatabase created(String name) {
        CouchDatabase database = queue.database().server().database(name);
        boolean unused = database.createIfMissing();
        return database;
    }

    /** Nothing can be learned of that database, not even among others. */
    private void refuse(String path, int status) {
        couch.faults().answer(Integer.MAX_VALUE, request -> request.path().startsWith("/_dbs_info"), 404);
        couch.faults().answer(Integer.MAX_VALUE, request -> request.path().startsWith(path), status);
    }

    /** The documents that have jobs. */
    private Set<String> documents() {
        return queue.all("mail").map(job -> job.data().path("id").asText()).collect(Collectors.toSet());
    }

    @Test
    void a_followed_database_is_no_problem_any_more_and_not_behind_when_it_is_deleted() throws Exception {
        CouchDatabase going = created("orders-1");
        Trigger trigger = queue.triggers().put(mails().source("order*").build());
        couch.faults()
                .answer(
                        Integer.MAX_VALUE,
                        request -> !request.method().equals("DELETE")
                                && request.path().startsWith("/orders-1"),
                        403);
        try (Following following = new Following(tools, trigger, () -> true)) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(following));
            TestQueue.until(() -> problem("orders-1").isPresent());
            going.delete();
            couch.faults().clear();
            TestQueue.until(() -> isSettled("orders-1"));
            following.end();
            running.get(1, TimeUnit.MINUTES);
        }
    }

    @Test
    void the_problem_of_a_database_that_is_deleted_while_nobody_follows_is_over_too() throws Exception {
        CouchDatabase going = created("orders-1");
        Trigger trigger = queue.triggers().put(mails().source("order*").build());
        Position unused = tools.positions()
                .change(tools.positions().read("t", "orders-1").orElseThrow(), position -> position.withProblem(
                                Optional.of("it is away"))
                        .behind(Optional.of(Instant.EPOCH)));
        going.delete();
        try (Following following = new Following(tools, trigger, () -> true)) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(following));
            TestQueue.until(() -> isSettled("orders-1"));
            following.end();
            running.get(1, TimeUnit.MINUTES);
        }
    }

    @Test
    void a_database_that_a_node_does_not_know_for_a_moment_is_followed_on_though_nobody_writes_into_it()
            throws Exception {
        Trigger trigger = queue.triggers().put(mails().source("order*").build());
        save(orders, "{'_id':'o1'}");
        couch.faults().answer(Integer.MAX_VALUE, request -> request.path().startsWith("/_db_updates"), 403);
        couch.faults().answer(1, request -> request.path().startsWith("/orders"), 404);
        try (Following following = new Following(tools, trigger, () -> true)) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(following));
            TestQueue.until(() -> documents().equals(Set.of("o1")));
            following.end();
            running.get(1, TimeUnit.MINUTES);
        }
    }

    private boolean isSettled(String database) {
        Position position = tools.positions().read("t", database).orElseThrow();
        return position.problem().isEmpty() && position.behindSince().isEmpty();
    }

    private Optional<String> problem(String source) {
        return queue.triggers().status("t").sources().stream()
                .filter(each -> each.database().equals(source))
                .flatMap(each -> each.problem().stream())
                .findAny();
    }

    @Test
    void a_trigger_that_cannot_be_read_for_a_moment_is_followed_by_the_same_run() throws Exception {
        var unused = queue.triggers().put(mails().build());
        save(orders, "{'_id':'o1'}");
        couch.faults()
                .answer(
                        3,
                        request ->
                                request.method().equals("GET") && request.path().contains("/trigger"),
                        500);
        try (Worker worker =
                queue.worker().handler("other", (data, context) -> null).start()) {
            TestQueue.until(() -> queue.all("mail").count() == 1);
            assertThat(queue.get("couchjobs-trigger", "t").orElseThrow().errors())
                    .as("errors of the run by %s", worker.id())
                    .isEmpty();
        }
    }

    @Test
    void a_trigger_of_many_databases_stops_at_once_though_the_server_has_no_news_of_them() throws Exception {
        Faults.Held silent = couch.faults()
                .delay(Integer.MAX_VALUE, request -> request.path().startsWith("/_db_updates"));
        Trigger trigger =
                stored(Trigger.named("t").source("order*").type("mail").build());
        try (Following following = new Following(tools, trigger, () -> true)) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(following));
            assertThat(silent.awaitArrival(60)).isTrue();
            following.changed(Trigger.docId("t"), "2-a");
            running.get(1, TimeUnit.MINUTES);
        }
    }

    @Test
    void one_whose_lease_was_over_for_a_moment_ends_though_only_one_of_its_threads_saw_that() throws Exception {
        Trigger trigger =
                stored(Trigger.named("t").source("order*").type("mail").build());
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

    @Test
    void databases_that_were_deleted_do_not_count_among_the_few_that_can_be_listened_to() throws Exception {
        List<CouchDatabase> going = new ArrayList<>();
        for (int i = 0; i < 8; i++) { // with the orders these are too many
            going.add(queue.database().server().database("order" + i));
            boolean unused = going.get(i).createIfMissing();
        }
        Trigger trigger =
                stored(Trigger.named("t").source("order*").type("mail").build());
        try (Following following = new Following(tools, trigger, () -> true)) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> run(following));
            TestQueue.until(() -> !following.areFew());
            going.forEach(CouchDatabase::delete);
            TestQueue.until(following::areFew);
            following.changed(Trigger.docId("t"), "2-a");
            running.get(1, TimeUnit.MINUTES);
        }
    }

    @Test
    void a_removed_trigger_gets_no_new_position_though_its_follower_has_not_heard_of_the_removal() throws Exception {
        Trigger trigger = mails().build();
        var unused = queue.triggers().put(trigger);
        try (Following following = new Following(tools, trigger, () -> true)) {
            FollowedDatabase database = new FollowedDatabase(
                    following, tools, trigger, "orders", orders, tools.jobTaker(trigger, orders, new LoopGuard()));
            save(orders, "{'_id':'o1'}");
            boolean unused0 = database.wake();
            TestQueue.until(() -> tools.positions()
                    .read("t", "orders")
                    .flatMap(Position::last)
                    .isPresent());
            queue.triggers().remove("t");
            save(orders, "{'_id':'o2'}");
            database.wake();
            TestQueue.until(() ->
                    !following.goesOn() || tools.positions().read("t", "orders").isPresent());
            assertThat(tools.positions().read("t", "orders")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"orders", "order*"})
    void a_follower_that_begins_after_the_removal_of_its_trigger_leaves_no_position_and_ends(String source)
            throws Exception {
        Trigger removed = mails().source(source).writeBack("/status").build();
        try (Following following = new Following(tools, removed, () -> true)) {
            CompletableFuture.runAsync(() -> run(following)).get(1, TimeUnit.MINUTES);
        }
        TestQueue.until(() -> tools.positions().readAll("t").isEmpty());
    }

    @Test
    void a_trigger_is_not_followed_on_when_a_look_at_all_triggers_finds_that_it_was_paused() throws Exception {
        Trigger trigger = queue.triggers().put(mails().build());
        Follower deaf = new Follower(tools);
        boolean unused0 = tools.creator().insertIfNew(Follower.job(trigger));
        try (Worker worker = QueueWorker.builder(tools.parts(), WorkerHook.NONE)
                .handler(Follower.TYPE, deaf)
                .withoutSweeping()
                .start()) {
            save(orders, "{'_id':'o1'}");
            TestQueue.until(() -> queue.all("mail").count() == 1);
            deaf.looked(tools.triggers().all());
            var unused1 = queue.triggers().pause("t");
            deaf.looked(tools.triggers().all());
            TestQueue.until(() -> queue.get(Follower.TYPE, "t").orElseThrow().phase() == JobPhase.FINISHED);
            assertThat(worker.stats().failed()).isZero();
        }
    }

    /** Its first step has too little stack. */
    private static final class FailingOnce implements Taker {
        private final Taker taker;
        private boolean hasFailed;

        FailingOnce(Taker taker) {
            this.taker = taker;
        }

        @Override
        public ChangesRequest request(ChangesRequest all) {
            return taker.request(all);
        }

        @Override
        public Step take(Position position, List<Change> changes) {
            if (!hasFailed) {
                hasFailed = true;
                throw new StackOverflowError();
            }
            return taker.take(position, changes);
        }
    }
}
