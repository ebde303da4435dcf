package io.couchjobs.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of writes when the thread that sends them fails. */
@ServerTest
class WriteCombinerTest {
    private JobQueue queue;
    private final Failing failing = new Failing();
    private WriteCombiner combiner;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        combiner = new WriteCombiner(
                queue.database(), new LostAnswers(queue.database(), new Copies(queue.database())), failing);
    }

    @AfterEach
    void close() {
        combiner.close();
        queue.close();
    }

    @Test
    void a_write_whose_sender_fails_is_told_so_and_the_next_one_is_sent() {
        assertThat(combiner.write(document("1")))
                .failsWithin(TestQueue.PATIENCE)
                .withThrowableThat()
                .withMessageContaining("no memory");

        failing.isOver = true;
        assertThat(combiner.write(document("1")))
                .succeedsWithin(TestQueue.PATIENCE)
                .isInstanceOf(WriteResult.Stored.class);
    }

    private static ObjectNode document(String id) {
        return JsonNodeFactory.instance.objectNode().put("_id", id);
    }

    private static final class Failing implements BulkListener {
        private volatile boolean isOver;

        @Override
        public void begins() {
            if (!isOver) {
                throw new Error("no memory"); // an OutOfMemoryError would end all tests
            }
        }

        @Override
        public void ends(int documents) {}
    }
}
