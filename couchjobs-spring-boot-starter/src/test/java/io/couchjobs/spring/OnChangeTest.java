package io.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.trigger.Trigger;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Methods that run for documents of other databases. */
@Tag("server")
@Timeout(120)
@ExtendWith(CouchExtension.class)
class OnChangeTest {
    private static final String SAID = "s3cr3t";

    private JobQueue queue;
    private CouchDatabase orders;
    private ApplicationContextRunner application;

    @BeforeEach
    void open(TestDatabase database) {
        URI url = withUser(database, database.url());
        queue = JobQueue.builder(url.toString()).createIfMissing(true).open();
        orders = queue.database().server().database(database.name() + "-orders");
        boolean unused = orders.createIfMissing();
        application = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(CouchjobsAutoConfiguration.class))
                .withPropertyValues(
                        "couchjobs.url=" + url,
                        "couchjobs.connections.shop=" + withUser(database, database.serverUrl()),
                        "orders.database=" + orders.name());
    }

    @AfterEach
    void close() {
        orders.delete();
        queue.close();
    }

    private static URI withUser(TestDatabase database, URI url) {
        return database.user()
                .map(user -> URI.create(url.toString()
                        .replaceFirst(
                                "://", "://" + user + ":" + database.password().orElse("") + "@")))
                .orElse(url);
    }

    private static void assumeSelectors(TestDatabase database) {
        assumeFalse(database.serverName().contains("PouchDB"), "PouchDB Server has no selectors in its feed");
    }

    private void save(String id, String status) {
        orders.put(JsonNodeFactory.instance.objectNode().put("_id", id).put("status", status));
    }

    @Test
    void a_method_runs_for_the_documents_that_it_selects(TestDatabase database) {
        assumeSelectors(database);
        application.withBean(Mails.class).run(context -> {
            save("o1", "new");
            save("o2", "paid");
            assertThat(context.getBean(Mails.class).mailed.poll(60, TimeUnit.SECONDS))
                    .isEqualTo(new Mails.Paid(orders.name(), "o2"));
            assertThat(queue.all("order-mail").toList()).hasSize(1);
        });
    }

    @Test
    void a_handler_runs_for_documents_of_a_named_server_with_the_data_of_a_template() {
        application.withBean(Index.class).run(context -> {
            save("o1", "new");
            assertThat(context.getBean(Index.class).indexed.poll(60, TimeUnit.SECONDS))
                    .isEqualTo(new Index.Entry("o1", "new"));
            Trigger trigger = queue.triggers().get("orders-index").orElseThrow();
            assertThat(trigger.connection()).contains("shop");
            assertThat(trigger.type()).contains("index");
            assertThat(trigger.delivery()).isEqualTo(Trigger.Delivery.EVERY);
        });
    }

    @Test
    void another_start_changes_nothing_and_a_trigger_that_was_paused_stays_paused(TestDatabase database) {
        assumeSelectors(database);
        application.withBean(Mails.class).run(context -> queue.triggers().pause("order-mail"));
        String before = queue.database().get("trigger:order-mail").orElseThrow().toString();
        application
                .withBean(Mails.class)
                .run(context ->
                        assertThat(queue.triggers().list()).singleElement().matches(trigger -> !trigger.isEnabled()));
        assertThat(queue.database().get("trigger:order-mail").orElseThrow()).hasToString(before);
    }

    @Test
    void an_annotation_that_cannot_be_stops_the_start_and_is_named() {
        for (Class<?> wrong : List.of(WrongSelector.class, WrongPointer.class)) {
            application.withBean(wrong).run(context -> assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("@OnChange of void " + wrong.getName()));
        }
        application.withBean(MissingSource.class).run(context -> assertThat(context.getStartupFailure())
                .hasStackTraceContaining("trigger wrong cannot follow " + orders.name() + "-that-is-missing"));
        assertThat(queue.triggers().list()).isEmpty();
    }

    @Test
    void the_address_of_a_connection_that_cannot_be_is_not_shown() {
        application
                .withPropertyValues("couchjobs.connections.shop=http://ann:" + SAID + "@[wrong")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("couchjobs.connections.shop is not the URL of a server")
                        .satisfies(failure ->
                                assertThat(failure.getCause().toString()).doesNotContain(SAID)));
    }

    @Test
    void the_guide_quotes_it() throws Exception {
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/spring/OnChangeTest.java"));
        String example =
                source.substring(source.lastIndexOf("        record Paid"), source.lastIndexOf("        // end"));
        assertThat(Files.readString(Path.of("../docs/spring-boot.md")).replaceAll("\\s", ""))
                .contains(example.replaceAll("\\s", ""));
    }

    static class Mails {
        final BlockingQueue<Paid> mailed = new LinkedBlockingQueue<>();

        record Paid(String db, String id) {}

        @OnChange(name = "order-mail", source = "${orders.database}", selector = "{\"status\": \"paid\"}")
        void mail(Paid order) {
            mailed.add(order);
        }
        // end of the example
    }

    static class Index {
        final BlockingQueue<Entry> indexed = new LinkedBlockingQueue<>();

        record Entry(String id, String status) {}

        @JobHandler("index")
        @OnChange(
                name = "orders-index",
                source = "${orders.database}",
                connection = "shop",
                deliver = Trigger.Delivery.EVERY,
                data = "{\"id\": \"{_id}\", \"status\": \"{/status}\"}")
        void index(Entry entry) {
            indexed.add(entry);
        }
    }

    static class WrongSelector {
        @OnChange(name = "wrong", source = "${orders.database}", selector = "{paid}")
        void run() {}
    }

    static class WrongPointer {
        @OnChange(name = "wrong", source = "${orders.database}", writeBack = "status")
        void run() {}
    }

    static class MissingSource {
        @OnChange(name = "wrong", source = "${orders.database}-that-is-missing")
        void run() {}
    }
}
