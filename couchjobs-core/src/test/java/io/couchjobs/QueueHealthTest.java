package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.engine.document.Tombstone;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether a process knows that it cannot claim jobs. */
class QueueHealthTest {
    private EmbeddedCouch couch;
    private JobQueue queue;

    @BeforeEach
    void open() {
        couch = EmbeddedCouch.inMemory().start();
        queue = JobQueue.builder(couch.url() + "jobs").renewLeases(false).open();
    }

    @AfterEach
    void close() {
        queue.close();
        couch.close();
    }

    @Test
    void a_queue_that_can_be_used_is_up() {
        assertThat(queue.operations().health().isUp()).isTrue();
        assertThat(queue.operations().health()).hasToString("UP");
    }

    @Test
    void one_whose_server_is_away_is_down() {
        couch.faults().cut(1000, request -> true);
        assertThat(queue.operations().health().problems())
                .singleElement()
                .asString()
                .startsWith("the database cannot be used: ");
        couch.faults().clear();
        assertThat(queue.operations().health().isUp()).isTrue();
    }

    @Test
    void one_whose_credentials_are_refused_is_down() {
        try (EmbeddedCouch locked = EmbeddedCouch.builder()
                        .admin("admin", "secret")
                        .database("jobs")
                        .start();
                JobQueue opened = JobQueue.builder("http://admin:secret@127.0.0.1:" + locked.port() + "/jobs")
                        .renewLeases(false)
                        .open()) {
            assertThat(opened.operations().health().isUp()).isTrue();
            locked.faults().answer(1000, request -> true, 401);
            assertThat(opened.operations().health().problems())
                    .singleElement()
                    .asString()
                    .contains("401");
        }
    }

    @Test
    void one_without_design_documents_is_down() {
        CouchDatabase database = queue.database();
        String rev = database.get(DesignDocument.JOBS.docId())
                .orElseThrow()
                .path("_rev")
                .asText();
        database.put(Tombstone.of(DesignDocument.JOBS.docId(), rev));
        assertThat(queue.operations().health().problems())
                .singleElement()
                .asString()
                .contains(DesignDocument.JOBS.versionedName())
                .contains("missing");
    }

    @Test
    void one_whose_worker_cannot_claim_is_down_until_it_can() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        couch.faults()
                .answer(
                        Integer.MAX_VALUE,
                        request -> broken.get() && request.path().endsWith("/due"),
                        500);
        try (Worker worker =
                queue.worker().id("w1").handler("email", (data, job) -> null).start()) {
            TestQueue.until(() -> !queue.operations().health().isUp());
            assertThat(queue.operations().health().problems())
                    .singleElement()
                    .asString()
                    .startsWith("worker " + worker.id() + " cannot claim jobs and goes on trying: ");
            broken.set(false);
            queue.add("email", Map.of());
            TestQueue.until(() -> queue.operations().health().isUp());
        }
    }

    @Test
    void a_failure_of_an_accept_by_hand_is_for_the_caller_and_not_for_the_health() throws Exception {
        couch.faults().answer(10, request -> request.path().endsWith("/due"), 500);
        try {
            queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO));
        } catch (RuntimeException expected) {
            couch.faults().clear();
        }
        assertThat(queue.operations().health().isUp()).isTrue();
    }

    @Test
    void a_closed_worker_is_no_trouble() throws Exception {
        couch.faults().answer(Integer.MAX_VALUE, request -> request.path().endsWith("/due"), 500);
        try (Worker worker =
                queue.worker().handler("email", (data, job) -> null).start()) {
            TestQueue.until(() -> !queue.operations().health().isUp());
            assertThat(worker.concurrency()).isPositive();
        }
        assertThat(queue.operations().health().isUp()).isTrue();
    }
}
