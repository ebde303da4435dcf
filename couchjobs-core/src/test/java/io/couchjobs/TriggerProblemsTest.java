package io.couchjobs;

import static io.couchjobs.testing.SourceDatabases.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.couch.config.HttpProxy;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.testing.RawServer;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SourceDatabases;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerBuilder;
import io.couchjobs.worker.Worker;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What people are told of triggers. Positions are written by hand, so that no follower is needed. */
@ServerTest
class TriggerProblemsTest {
    private TestDatabase database;
    private JobQueue queue;
    private SourceDatabases sources;
    private CouchDatabase orders;

    @BeforeEach
    void open(TestDatabase fresh) {
        database = fresh;
        queue = TestQueue.open(fresh);
        sources = new SourceDatabases(fresh, queue);
        orders = sources.create("orders");
    }

    @AfterEach
    void close() {
        sources.close();
        queue.close();
    }

    private TriggerBuilder mails() {
        return Trigger.named("mails").source(orders.name()).type("mail");
    }

    /** Changes the position of the trigger. */
    private void position(String fields) {
        TestQueue.assumeThatAnythingCanBeStored();
        ObjectNode position =
                queue.database().get("follow:mails:" + orders.name()).orElseThrow();
        position.setAll(json(fields));
        queue.database().put(position);
    }

    private List<Problem> problems(String name) {
        return queue.operations().problems().stream()
                .filter(problem -> problem.name().equals(name))
                .toList();
    }

    /** As it will register. */
    private static WorkerInfo alive(Worker worker) {
        Instant now = Instant.now();
        return new WorkerInfo(
                worker.id(), new WorkerInfo.Registered(now, now, 1, List.of("mail"), Duration.ofMinutes(5)), List.of());
    }

    @Test
    void the_server_of_a_connection_is_reached_through_the_proxy_of_the_queue() throws Exception {
        try (RawServer proxy = RawServer.playing(
                        RawServer.sendAndCut("HTTP/1.1 404 Object Not Found\r\nContent-Length: 0\r\n\r\n"));
                JobQueue shop = TestQueue.builder(database)
                        .connection("shop", URI.create("http://shop.example:5984"))
                        .proxy(HttpProxy.at(proxy.url())
                                .except(List.of(database.server().url().getHost())))
                        .open()) {
            TriggerBuilder mails = mails().connection("shop");
            assertThatThrownBy(() -> shop.triggers().put(mails.build())).hasMessageContaining("cannot follow");
            assertThat(proxy.heads()).first(STRING).contains("shop.example");
        }
    }

    @Test
    void a_source_whose_server_is_away_is_no_mistake_of_the_trigger() {
        try (JobQueue shop = TestQueue.builder(database)
                .connection("shop", URI.create("http://127.0.0.1:1"))
                .open()) {
            Trigger mails = mails().connection("shop").build();
            assertThatThrownBy(() -> shop.triggers().put(mails)).isInstanceOf(CouchUnreachableException.class);
            assertThat(shop.triggers().get("mails")).isEmpty();
        }
    }

    @Test
    void a_malformed_trigger_is_named_with_what_is_wrong() {
        TestQueue.assumeThatAnythingCanBeStored();
        queue.database().put(json("{'_id':'trigger:mails','source':'orders','typ':'mail'}"));
        assertThat(problems("malformed trigger")).singleElement().satisfies(problem -> {
            assertThat(problem.level()).isEqualTo(Problem.Level.PROBLEM);
            assertThat(problem.finding()).contains("trigger mails", "field typ is not known");
        });
    }

    @Test
    void a_trigger_that_no_process_with_a_worker_can_follow_is_a_problem_after_a_minute() throws Exception {
        queue.triggers().put(mails().connection("shop").build());
        try (Worker worker =
                        queue.worker().handler("mail", (data, context) -> null).start();
                JobQueue later = TestQueue.builder(database)
                        .settableClock(() -> Instant.now().plusSeconds(120))
                        .open()) {
            TestQueue.until(() -> queue.get("couchjobs-trigger", "mails").isPresent());
            List<WorkerInfo> known = List.of(alive(worker));
            assertThat(queue.operations().triggerProblems(known)).isEmpty();
            assertThat(later.operations().triggerProblems(known))
                    .singleElement()
                    .satisfies(problem -> {
                        assertThat(problem.level()).isEqualTo(Problem.Level.PROBLEM);
                        assertThat(problem.finding()).contains("no process follows it though there are workers");
                        assertThat(problem.remedy()).contains("connection shop");
                    });
        }
    }

    @Test
    void a_trigger_without_any_worker_is_told_and_one_that_is_paused_is_not() {
        queue.triggers().put(mails().build());
        assertThat(problems("trigger mails"))
                .singleElement()
                .matches(problem -> problem.level() == Problem.Level.NOTE)
                .matches(problem -> problem.finding().equals("no process follows it"));
        queue.triggers().pause("mails");
        assertThat(queue.operations().problems()).isEmpty();
    }

    @Test
    void a_source_that_cannot_be_read_is_a_problem() {
        queue.triggers().put(mails().build());
        position("{'problem':'403 you may not'}");
        assertThat(problems("trigger mails"))
                .filteredOn(problem -> problem.level() == Problem.Level.PROBLEM)
                .singleElement()
                .matches(problem -> problem.finding().equals(orders.name() + ": 403 you may not"));
    }

    @Test
    void changes_that_failed_are_told_with_the_newest_reason_until_they_are_tried_again() {
        queue.triggers().put(mails().paused().build());
        position("{'failed':2,'errors':[{'id':'o1','rev':'1-a','seq':'1','at':1,'reason':'older'},"
                + "{'id':'o2','rev':'1-b','seq':'2','at':2,'reason':'no field /mail'}]}");
        assertThat(problems("trigger mails"))
                .singleElement()
                .matches(problem -> problem.level() == Problem.Level.NOTE)
                .satisfies(problem -> assertThat(problem.finding())
                        .startsWith("2 changes have failed, such as document o2 of ")
                        .endsWith(": no field /mail"));
        queue.triggers().retryErrors("mails");
        assertThat(queue.operations().problems()).isEmpty();
    }

    @Test
    void a_large_lag_is_told() throws Exception {
        sources.assumeNotPouchDb("does not tell how many changes a feed still has");
        queue.triggers().put(mails().build());
        for (int thousand = 0; thousand < 10; thousand++) {
            List<ObjectNode> documents = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                documents.add(json("{'_id':'o" + (1000 * thousand + i) + "'}"));
            }
            orders.bulkDocs(documents);
        }
        TestQueue.until(() -> problems("trigger mails").stream()
                .anyMatch(problem -> problem.finding().equals("10000 changes wait"))); // a copy may be behind
    }
}
