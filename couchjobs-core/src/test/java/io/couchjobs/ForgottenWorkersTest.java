package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Which registrations of workers, and which design documents, a collection takes away. */
@ServerTest
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class ForgottenWorkersTest extends CollectedQueue {
    @Test
    void a_dead_worker_is_forgotten_and_living_ones_and_owners_are_not() throws Exception {
        long longAgo = Instant.now().minus(Duration.ofMinutes(16)).toEpochMilli();
        put(registration("dead", longAgo));
        put(registration("quiet", Instant.now().minus(Duration.ofMinutes(14)).toEpochMilli()));
        put(registration("owner", longAgo));
        ObjectNode owned = doc("job:email:1").put("status", "running");
        owned.putObject("lock").put("token", "t").put("worker", "owner").put("since", 1);
        put(owned);

        assertThat(TestQueue.gc(queue).dryRun(true).run().workersRemoved()).containsExactly("dead");
        assertThat(TestQueue.gc(queue).run().workersRemoved()).containsExactly("dead");

        assertThat(database.get("worker:dead")).isEmpty();
        assertThat(database.get("worker:quiet")).isPresent();
        assertThat(database.get("worker:owner")).isPresent();
    }

    @Test
    void the_turn_of_a_worker_that_closed_is_kept_for_thirty_days() throws Exception {
        assumeItPurges();
        for (int days : List.of(29, 31)) {
            ObjectNode closed = registration(
                            "joex" + days,
                            Instant.now().minus(Duration.ofDays(days)).toEpochMilli())
                    .put("lastGroup", "a");
            put(closed);
            ObjectNode stored = database.get("worker:joex" + days).orElseThrow();
            database.put(stored.put("_deleted", true));
        }
        TestQueue.gc(queue).run();
        assertThat(database.leaves("worker:joex31")).isEmpty();
        assertThat(database.leaves("worker:joex29")).hasSize(1);
    }

    @Test
    void a_worker_that_was_forgotten_while_it_stood_still_registers_again() throws Exception {
        CountDownLatch registered = new CountDownLatch(1);
        queue.types().setTimeout("slow", Duration.ofSeconds(3));
        try (Worker worker = queue.worker()
                .handler("slow", (data, context) -> registered.await(30, TimeUnit.SECONDS))
                .start()) {
            String id = "worker:" + worker.id();
            put(database.get(id).orElseThrow().put("_deleted", true));

            queue.add(JobRequest.builder("slow").id("1").data(Map.of()).build());

            TestQueue.until(() -> database.get(id).isPresent());
            registered.countDown();
            assertThat(TestQueue.finished(queue, "slow", "1")
                            .result()
                            .orElseThrow()
                            .asBoolean())
                    .isTrue();
        }
    }

    @Test
    void design_documents_of_other_versions_go_unless_a_living_worker_asks_them() throws Exception {
        List<String> current =
                DesignDocument.ALL.stream().map(DesignDocument::versionedName).toList();
        String old = oldDesign("function (doc) { emit(doc._id, 1); }");
        String used = oldDesign("function (doc) { emit(doc._id, 2); }");
        put(doc("_design/jobs-00000000").put("language", "javascript")); // no hash of its content
        ObjectNode worker = registration("older", Instant.now().toEpochMilli());
        worker.putArray("designs").add(used);
        put(worker);

        assertThat(TestQueue.gc(queue).dryRun(true).run().designDocumentsRemoved())
                .containsExactly(old);
        assertThat(TestQueue.gc(queue).run().designDocumentsRemoved()).containsExactly(old);

        List<String> left = new ArrayList<>(current);
        left.addAll(List.of(used, "jobs-00000000"));
        assertThat(new DesignDocuments(queue.database()).installed()).containsExactlyInAnyOrderElementsOf(left);
    }

    @Test
    void design_documents_that_are_made_on_demand_go_when_all_workers_are_of_this_version() throws Exception {
        List<String> current =
                DesignDocument.ALL.stream().map(DesignDocument::versionedName).toList();
        String old = oldDesign("fair", "function (doc) { emit(doc._id, 1); }");
        put(DesignDocument.FILTER.toDocument());
        ObjectNode worker = registration("older", Instant.now().toEpochMilli());
        worker.putArray("designs").add("jobs-00000000");
        put(worker);
        assertThat(TestQueue.gc(queue).run().designDocumentsRemoved())
                .as("an older worker may ask it")
                .isEmpty();

        ObjectNode upgraded = queue.database().get("worker:older").orElseThrow();
        current.forEach(upgraded.putArray("designs")::add);
        put(upgraded);
        assertThat(TestQueue.gc(queue).run().designDocumentsRemoved()).containsExactly(old);
        assertThat(new DesignDocuments(queue.database()).installed()).contains(DesignDocument.FILTER.versionedName());
    }

    private String oldDesign(String map) {
        return oldDesign("jobs", map);
    }

    private String oldDesign(String of, String map) {
        ObjectNode content = JsonNodeFactory.instance.objectNode().put("language", "javascript");
        content.putObject("views").putObject("due").put("map", map);
        String name = of + "-" + hash(content.toString());
        put(doc("_design/" + name).setAll(content));
        return name;
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 4);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
