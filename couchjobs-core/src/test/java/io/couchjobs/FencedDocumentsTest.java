package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.FencedDocuments;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.Worker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A handler's own documents, guarded by the fence; with the worked example of the guide. */
@ServerTest
class FencedDocumentsTest {
    private static final Path GUIDE = Path.of("../docs/fencing.md");

    private String server = "";
    private JobQueue queue;
    private CouchDatabase shop;

    @BeforeEach
    void open(TestDatabase database) {
        server = database.serverName();
        queue = TestQueue.open(database);
        shop = queue.database();
    }

    @AfterEach
    void close() {
        queue.close();
    }

    // The example of the guide.

    record Payment(String invoice, int cents) {}

    static Object bookPayment(Payment payment, JobContext context, CouchDatabase shop) {
        String booking = context.id().docId();
        ObjectNode invoice = context.fenced(shop).change("invoice:" + payment.invoice(), document -> {
            if (!document.path("bookings").has(booking)) {
                document.withObject("/bookings").put(booking, payment.cents());
                document.put("paid", document.path("paid").asInt() + payment.cents());
            }
            return document;
        });
        return Map.of("paid", invoice.path("paid").asInt());
    }

    // End of the example.

    @Test
    void the_guide_quotes_the_example_that_runs() throws Exception {
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(GUIDE));
        assertThat(block.find()).isTrue();
        String source = Files.readString(Path.of("src/test/java/io/couchjobs/FencedDocumentsTest.java"));
        assertThat(withoutSpace(source)).contains(withoutSpace(block.group(1)));
    }

    @Test
    void each_payment_is_booked_once_though_an_owner_that_lost_its_job_goes_on() throws Exception {
        CountDownLatch taken = new CountDownLatch(1);
        CountDownLatch booked = new CountDownLatch(1);
        CountDownLatch late = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        try (Worker worker = queue.worker()
                .concurrency(2)
                .handler("payment", Payment.class, (payment, context) -> {
                    if (runs.incrementAndGet() == 1) {
                        taken.countDown();
                        waitThoughInterrupted(booked);
                        try {
                            return bookPayment(payment, context, shop);
                        } finally {
                            late.countDown();
                        }
                    }
                    return bookPayment(payment, context, shop);
                })
                .start()) {
            queue.add(JobRequest.builder("payment")
                    .id("p1")
                    .data(new Payment("7", 1250))
                    .build());
            taken.await();
            queue.operations().release("payment", "p1");
            Job done = TestQueue.finished(queue, "payment", "p1");
            booked.countDown();
            late.await();
            assertThat(done.status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(worker.id()).isNotEmpty();
        }
        ObjectNode invoice = shop.get("invoice:7").orElseThrow();
        assertThat(runs.get()).isEqualTo(2);
        assertThat(invoice.path("paid").asInt()).isEqualTo(1250);
        assertThat(invoice.path("bookings")).hasSize(1);
        assertThat(queue.get("payment", "p1").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void an_earlier_owner_cannot_write_what_a_later_one_has_written() throws Exception {
        ClaimedJob former = claim();
        fenced(former).change("doc", document -> document.put("by", "former"));
        queue.operations().release("email", "1");
        ClaimedJob present = claim();
        assertThat(fenced(present).take("doc").path("by").asText()).isEqualTo("former");
        assertThatThrownBy(() -> fenced(former).change("doc", document -> document.put("by", "former again")))
                .isInstanceOf(HaltException.class)
                .hasMessageContaining("another owner")
                .hasMessageContaining("doc");
        fenced(present).change("doc", document -> document.put("by", "present"));
        assertThat(shop.get("doc").orElseThrow().path("by").asText()).isEqualTo("present");
    }

    @Test
    void a_job_that_was_removed_and_added_anew_goes_before_the_one_it_replaces() throws Exception {
        ClaimedJob former = null;
        for (int i = 0; i < 3; i++) {
            former = claim();
            queue.operations().release("email", "1");
        }
        ClaimedJob last = former;
        fenced(last).change("doc", document -> document.put("by", "former"));
        Instant created = last.job().times().get("created");
        queue.remove("email", "1");
        // The new one is created a moment later: times are whole milliseconds.
        TestQueue.until(() -> {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            boolean later =
                    queue.get("email", "1").orElseThrow().times().get("created").isAfter(created);
            if (!later) {
                queue.remove("email", "1");
            }
            return later;
        });
        ClaimedJob anew = claim();
        assertThat(anew.fence()).isGreaterThan(last.fence());
        fenced(anew).change("doc", document -> document.put("by", "anew"));
        assertThatThrownBy(() -> fenced(last).take("doc")).isInstanceOf(HaltException.class);
    }

    @Test
    void jobs_that_write_the_same_document_keep_what_the_others_wrote() throws Exception {
        int jobs = 8;
        for (int i = 0; i < jobs; i++) {
            queue.add(JobRequest.builder("count").id("c" + i).data(Map.of()).build());
        }
        try (Worker worker = queue.worker()
                .concurrency(4)
                .untilEmpty()
                .handler("count", (data, context) -> context.fenced(shop)
                        .change(
                                "sum",
                                document -> document.put("n", document.path("n").asInt() + 1)))
                .start()) {
            worker.awaitStopped();
        }
        ObjectNode sum = shop.get("sum").orElseThrow();
        assertThat(sum.path("n").asInt()).isEqualTo(jobs);
        assertThat(sum.path(FencedDocuments.STAMPS)).hasSize(jobs);
    }

    @Test
    void a_change_that_drops_the_stamps_does_not_drop_the_guard() throws Exception {
        ClaimedJob former = claim();
        queue.operations().release("email", "1");
        ClaimedJob present = claim();
        fenced(present).change("doc", document -> document.objectNode().put("fresh", true));
        assertThatThrownBy(() -> fenced(former).take("doc")).isInstanceOf(HaltException.class);
        assertThat(shop.get("doc").orElseThrow().path("fresh").asBoolean()).isTrue();
    }

    @Test
    void an_owner_of_a_job_without_a_time_of_creation_writes_what_a_former_one_has_written() throws Exception {
        ClaimedJob former = claim();
        fenced(former).change("doc", document -> document.put("by", "former"));
        queue.operations().release("email", "1");
        edit(job -> job.remove("times"));
        succeeds(former, claim());
    }

    @Test
    void an_owner_writes_what_a_former_one_has_written_though_the_servers_clock_was_set_back() throws Exception {
        ClaimedJob former = claim();
        fenced(former).change("doc", document -> document.put("by", "former"));
        queue.remove("email", "1");
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        edit(job -> job.withObject("/times").put("created", 1));
        succeeds(former, claim());
    }

    @Test
    void an_owner_of_a_job_that_was_removed_purged_and_made_again_writes_what_a_former_one_has_written()
            throws Exception {
        claim();
        queue.operations().release("email", "1");
        ClaimedJob former = claim();
        fenced(former).change("doc", document -> document.put("by", "former"));
        purge();
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        edit(job -> job.withObject("/times")
                .put("created", former.job().times().get("created").toEpochMilli()));
        ClaimedJob present = claim();
        assertThat(present.fence()).isLessThanOrEqualTo(former.fence());
        succeeds(former, present);
    }

    @Test
    void a_former_owner_cannot_write_what_the_present_one_has_written_when_that_has_ended() throws Exception {
        ClaimedJob former = claim();
        fenced(former).change("doc", document -> document.put("by", "former"));
        queue.operations().release("email", "1");
        ClaimedJob present = claim();
        fenced(present).change("doc", document -> document.put("by", "present"));
        present.finish();
        assertThatThrownBy(() -> fenced(former).take("doc")).isInstanceOf(HaltException.class);
        purge();
        assertThatThrownBy(() -> fenced(former).take("doc")).isInstanceOf(HaltException.class);
    }

    /** The former owner freezes while it changes the document, and wakes when the present one has written. */
    private void succeeds(ClaimedJob former, ClaimedJob present) {
        FencedDocuments frozen = fenced(former);
        AtomicInteger tries = new AtomicInteger();
        assertThatThrownBy(() -> frozen.change("doc", document -> {
                    if (tries.incrementAndGet() == 1) {
                        fenced(present).change("doc", now -> now.put("by", "present"));
                    }
                    return document.put("by", "former again");
                }))
                .isInstanceOf(HaltException.class);
        assertThatThrownBy(() -> fenced(former).take("doc")).isInstanceOf(HaltException.class);
        fenced(present).change("doc", document -> document.put("n", 2));
        ObjectNode stored = shop.get("doc").orElseThrow();
        assertThat(stored.path("by").asText()).isEqualTo("present");
        assertThat(stored.path("n").asInt()).isEqualTo(2);
    }

    private void edit(Consumer<ObjectNode> change) {
        ObjectNode job = queue.database().get("job:email:1").orElseThrow();
        change.accept(job);
        queue.database().put(job);
    }

    /** As if it had never been there. */
    private void purge() {
        assumeFalse(server.contains("PouchDB"), "PouchDB Server knows no purge");
        queue.remove("email", "1");
        List<String> tombstones = queue.database().leaves("job:email:1").stream()
                .map(leaf -> leaf.path("_rev").asText())
                .toList();
        queue.database().purge(Map.of("job:email:1", tombstones));
    }

    private FencedDocuments fenced(ClaimedJob claim) {
        return claim.fenced(shop);
    }

    private ClaimedJob claim() throws InterruptedException {
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        return queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0);
    }

    /** A handler that does not hear that it is to stop. */
    private static void waitThoughInterrupted(CountDownLatch signal) {
        boolean done = false;
        while (!done) {
            try {
                signal.await();
                done = true;
            } catch (InterruptedException ignored) {
                done = false;
            }
        }
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s", "");
    }
}
