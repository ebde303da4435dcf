package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** More documents with conflicts than one read of the index shows. */
@ServerTest
class ConflictSweepTest {
    private static final int PAGE = 1000;

    @BeforeEach
    void skip(TestDatabase database) {
        assumeTrue(
                !database.serverName().contains("PouchDB"),
                "PouchDB Server takes minutes to store 2000 revisions at once");
    }

    @Test
    void conflicted_documents_of_another_application_hide_none_of_the_queue(TestDatabase database) throws Exception {
        conflicted(database, PAGE, number -> "invoice:" + number);
        conflicted(database, 1, number -> "type:email");
        conflicted(database, 1, number -> "job:email:1");
        try (JobQueue queue = TestQueue.open(database)) {
            assertThat(queue.operations().conflicts()).containsExactly("job:email:1", "type:email");
        }
    }

    @Test
    void a_worker_that_begins_resolves_all_conflicts_and_not_only_the_first_of_the_index(TestDatabase database)
            throws Exception {
        conflicted(database, PAGE + 10, number -> "job:email:" + number);
        try (JobQueue queue = TestQueue.open(database)) {
            try (Worker worker = queue.worker()
                    .handler("other", ObjectNode.class, (data, context) -> null)
                    .start()) {
                TestQueue.until(() -> queue.operations().conflicts().isEmpty());
                assertThat(worker.stats().claimed()).isZero();
            }
        }
    }

    private static void conflicted(TestDatabase database, int documents, IntFunction<String> ids) throws Exception {
        Replicated.into(
                database,
                IntStream.range(0, documents)
                        .mapToObj(ids)
                        .flatMap(id -> Stream.of(
                                Replicated.leaf(id, 2, 'a', "'status':'success','data':{},'fence':3"),
                                Replicated.leaf(id, 2, 'b', "'status':'waiting','data':{}")))
                        .map(Jobs::json)
                        .toArray(ObjectNode[]::new));
    }
}
