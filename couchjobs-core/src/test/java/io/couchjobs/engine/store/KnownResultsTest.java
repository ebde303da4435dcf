package io.couchjobs.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.embedded.Faults;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.TestQueue;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writes that share a request, when the server goes away before the results of all are known. */
class KnownResultsTest extends FaultyServer {
    private final AtomicInteger writes = new AtomicInteger();
    private WriteCombiner combiner;

    @BeforeEach
    void openCombiner() {
        combiner = new WriteCombiner(
                queue.database(), new LostAnswers(queue.database(), new Copies(queue.database())), documents -> {});
    }

    @AfterEach
    void closeCombiner() {
        combiner.close();
    }

    @Test
    void the_first_half_of_a_request_that_was_too_large_is_told_when_the_server_is_away_for_the_second() {
        couch.faults().answer(1, this::isFirstWrite, 413);
        goAwayAfter(2);

        List<CompletableFuture<WriteResult>> results = writeAll("a", "b", "c", "d");

        assertStored(results.get(0));
        assertStored(results.get(1));
        assertUnknown(results.get(2));
        assertUnknown(results.get(3));
    }

    @Test
    void a_write_that_is_found_after_a_lost_answer_is_told_when_the_server_is_away_for_the_others() {
        queue.database().put(document("a"));
        couch.faults().cut(1, this::isFirstWrite);
        goAwayAfter(1);

        List<CompletableFuture<WriteResult>> results = writeAll("a", "b");

        assertStored(results.get(0));
        assertUnknown(results.get(1));
    }

    private boolean isFirstWrite(Faults.Request request) {
        return request.path().endsWith("/_bulk_docs") && writes.incrementAndGet() == 1;
    }

    private void goAwayAfter(int bulkWrites) {
        couch.faults().cut(Integer.MAX_VALUE, request -> writes.get() > bulkWrites);
    }

    private List<CompletableFuture<WriteResult>> writeAll(String... ids) {
        return combiner.writeAll(Stream.of(ids).map(KnownResultsTest::document).toList());
    }

    private static ObjectNode document(String id) {
        return JsonNodeFactory.instance.objectNode().put("_id", id);
    }

    private static void assertStored(CompletableFuture<WriteResult> result) {
        assertThat(result).succeedsWithin(TestQueue.PATIENCE).isInstanceOf(WriteResult.Stored.class);
    }

    private static void assertUnknown(CompletableFuture<WriteResult> result) {
        assertThat(result)
                .failsWithin(TestQueue.PATIENCE)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(CouchException.class);
    }
}
