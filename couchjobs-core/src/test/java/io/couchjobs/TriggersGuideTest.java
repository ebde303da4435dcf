package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.trigger.Outbox;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.worker.Worker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The examples of the guides on triggers and on the outbox. */
class TriggersGuideTest {
    private EmbeddedCouch couch;
    private JobQueue queue;
    private CouchDatabase orders;

    // The example of the guide on triggers.

    static Worker mailPaidOrders(JobQueue queue) {
        queue.triggers()
                .put(Trigger.named("order-mail")
                        .source("orders")
                        .selector(JsonNodeFactory.instance.objectNode().put("status", "paid"))
                        .type("email")
                        .build());
        return queue.worker()
                .handler("email", (data, context) -> {
                    String order = data.path("id").asText();
                    return Map.of("mailed", order);
                })
                .start();
    }

    // The example of the guide on the outbox.

    static void saveOrder(CouchDatabase orders, JobQueue queue) {
        ObjectNode order = JsonNodeFactory.instance.objectNode();
        order.put("_id", "o1").put("total", 12);
        Outbox.add(order, JobRequest.of("email", Map.of("to", "ada@example.org")));
        orders.put(order);
        queue.triggers()
                .put(Trigger.named("order-outbox")
                        .source("orders")
                        .outbox(Outbox.Entries.LEAVE)
                        .build());
    }

    // End of the examples.

    @BeforeEach
    void open() throws Exception {
        couch = EmbeddedCouch.inMemory().start();
        queue = JobQueue.open(couch.url().resolve("jobs").toString());
        orders = queue.database().server().database("orders");
        boolean unused = orders.createIfMissing();
    }

    @AfterEach
    void close() {
        queue.close();
        couch.close();
    }

    @Test
    void the_guides_quote_the_examples_that_run() throws Exception {
        assertQuoted("../docs/triggers.md");
        assertQuoted("../docs/outbox.md");
    }

    private static void assertQuoted(String guide) throws Exception {
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(Path.of(guide)));
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/TriggersGuideTest.java"));
        assertThat(block.find()).isTrue();
        assertThat(withoutSpace(source)).contains(withoutSpace(block.group(1)));
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s", "");
    }

    @Test
    void a_paid_order_is_mailed() throws Exception {
        try (Worker worker = mailPaidOrders(queue)) {
            orders.put(Jobs.json("{'_id':'o1','status':'open'}"));
            orders.put(Jobs.json("{'_id':'o2','status':'paid'}"));
            TestQueue.until(() -> worker.stats().succeeded() == 1);
        }
        assertThat(queue.list(JobFilter.all().type("email"), 10))
                .singleElement()
                .satisfies(job -> assertThat(
                                job.result().orElseThrow().path("mailed").asText())
                        .isEqualTo("o2"));
    }

    @Test
    void the_job_of_a_saved_order_is_made() throws Exception {
        try (Worker worker =
                queue.worker().handler("email", (data, context) -> null).start()) {
            queue.triggers()
                    .put(Trigger.named("order-outbox")
                            .source("orders")
                            .outbox(Outbox.Entries.LEAVE)
                            .build());
            saveOrder(orders, queue);
            TestQueue.until(() -> worker.stats().succeeded() == 1);
        }
        assertThat(queue.all("email").count()).isEqualTo(1);
    }
}
