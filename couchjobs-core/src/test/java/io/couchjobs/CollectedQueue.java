package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Retention;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A queue whose garbage is collected, for the tests of what a collection does. */
abstract class CollectedQueue {
    TestDatabase where;
    JobQueue queue;
    CouchDatabase database;

    @BeforeEach
    void open(TestDatabase testDatabase) {
        where = testDatabase;
        queue = TestQueue.open(testDatabase);
        database = queue.database();
    }

    @AfterEach
    void close() {
        queue.close();
    }

    /** Lets all that happened before now have happened that much earlier. */
    void timePasses(Duration time) {
        ObjectNode document = database.get("_local/couchjobs-gc").orElseThrow();
        document.path("marks")
                .forEach(mark -> ((ObjectNode) mark).put("at", mark.path("at").asLong() - time.toMillis()));
        put(document);
    }

    void keepNothing(String type) {
        queue.types().change(type, settings -> settings.withRetention(new Retention.Delete()));
    }

    /** PouchDB Server takes a minute for a thousand deleted jobs. */
    int share() {
        return where.serverName().contains("PouchDB") ? 5 : 1;
    }

    void run(String type, int jobs) throws InterruptedException {
        queue.addAll(IntStream.range(0, jobs)
                .mapToObj(i -> JobRequest.of(type, Map.of("n", i)))
                .toList());
        try (Worker worker = queue.worker()
                .concurrency(8)
                .handler(type, (data, context) -> null)
                .untilEmpty()
                .start()) {
            worker.awaitStopped();
        }
    }

    Worker idleWorker() {
        return queue.worker().handler("idle", (data, context) -> null).start();
    }

    static ObjectNode registration(String id, long at) {
        ObjectNode registration =
                doc("worker:" + id).put("pid", 1).put("beat", 7).put("at", at);
        registration.putArray("types").add("email");
        registration.putArray("designs");
        return registration;
    }

    void assumeItPurges() {
        try {
            database.purge(Map.of("nothing", List.of("1-abc")));
        } catch (CouchException cannot) {
            assumeTrue(false, where.serverName() + " cannot purge: " + cannot.reason());
        }
    }

    Map<String, List<String>> tombstones() {
        return changes(true);
    }

    Map<String, List<String>> leaves() {
        return changes(false);
    }

    Map<String, List<String>> changes(boolean deletedOnly) {
        Map<String, List<String>> leaves = new TreeMap<>();
        try (ChangesFeed feed = database.changes(ChangesRequest.normal().styleAllDocs(true))) {
            Optional<Change> next = feed.next(TestQueue.PATIENCE);
            while (next.isPresent()) {
                Change change = next.get();
                if (!deletedOnly || (change.deleted() && !change.id().startsWith("worker:"))) {
                    leaves.put(change.id(), change.revs());
                }
                next = feed.next(TestQueue.PATIENCE);
            }
        }
        return leaves;
    }

    /** Stores revisions as a replication does, which may leave conflicts. */
    void replicate(String... documents) throws Exception {
        Replicated.into(where, documents);
    }

    static ObjectNode doc(String id) {
        return JsonNodeFactory.instance.objectNode().put("_id", id);
    }

    ObjectNode put(ObjectNode document) {
        WriteResult written = database.put(document);
        assertThat(written).isInstanceOf(WriteResult.Stored.class);
        return document.put("_rev", ((WriteResult.Stored) written).rev());
    }
}
