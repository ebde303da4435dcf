package io.couchjobs.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many requests writes go in, and what becomes of them when the thread that sends them fails. */
@ServerTest
class WriteCombinerTest {
    private JobQueue queue;
    private WriteCombiner combiner;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
    }

    @AfterEach
    void close() {
        combiner.close();
        queue.close();
    }

    private WriteCombiner combiner(IntConsumer written) {
        return new WriteCombiner(
                queue.database(), new LostAnswers(queue.database(), new Copies(queue.database())), written);
    }

    @Test
    void many_documents_of_one_call_go_in_two_requests_side_by_side() {
        Meeting meeting = new Meeting(2);
        combiner = combiner(meeting);
        List<ObjectNode> documents =
                IntStream.range(0, 1_500).mapToObj(i -> document("many-" + i)).toList();

        CompletableFuture<?>[] writes = combiner.writeAll(documents).toArray(CompletableFuture[]::new);

        assertThat(CompletableFuture.allOf(writes)).succeedsWithin(TestQueue.PATIENCE);
        assertThat(meeting.sizes).containsExactlyInAnyOrder(1_000, 500);
    }

    @Test
    void a_write_whose_sender_fails_is_told_so_and_the_next_one_is_sent() {
        Failing failing = new Failing();
        combiner = combiner(failing);
        assertThat(combiner.write(document("1")))
                .failsWithin(TestQueue.PATIENCE)
                .withThrowableThat()
                .withMessageContaining("no memory");

        failing.isOver = true;
        assertThat(combiner.write(document("1")))
                .succeedsWithin(TestQueue.PATIENCE)
                .isInstanceOf(WriteResult.Conflict.class); // the first one is stored
    }

    private static ObjectNode document(String id) {
        return JsonNodeFactory.instance.objectNode().put("_id", id);
    }

    /** Each request waits until so many are answered. */
    private static final class Meeting implements IntConsumer {
        private final CyclicBarrier barrier;
        private final Queue<Integer> sizes = new ConcurrentLinkedQueue<>();

        Meeting(int requests) {
            this.barrier = new CyclicBarrier(requests);
        }

        @Override
        public void accept(int documents) {
            sizes.add(documents);
            try {
                barrier.await(TestQueue.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException alone) {
                throw new IllegalStateException("no other request is under way", alone);
            }
        }
    }

    private static final class Failing implements IntConsumer {
        private volatile boolean isOver;

        @Override
        public void accept(int documents) {
            if (!isOver) {
                throw new Error("no memory"); // an OutOfMemoryError would end all tests
            }
        }
    }
}
