package io.couchjobs.engine.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.testing.ForwardingEnvironment;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A question that is not urgent waits while the server has very many changes to index. The clock stands still but for the test. */
class IndexPatienceTest {
    private static final int VERY_MANY = 2_500;

    private final EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
    private final JobQueue queue =
            JobQueue.builder(couch.url() + "jobs").renewLeases(false).open();
    private final JobIndex index = new JobIndex(new DesignDocuments(queue.database()));
    private long nanos;
    private final IndexPatience patience = new IndexPatience(index, new ForwardingEnvironment() {
        @Override
        public long nanos() {
            return nanos;
        }
    });

    @BeforeEach
    void init() {
        queue.operations().init();
    }

    @AfterEach
    void close() {
        queue.close();
        couch.close();
    }

    @Test
    void very_many_changes_are_waited_for_until_another_reader_has_had_them_indexed() {
        write(VERY_MANY);
        assertThat(patience.waits()).isTrue();
        assertThat(new HeldIndex(index).anywhere()).isEmpty();
        assertThat(patience.waits()).isFalse();
    }

    @Test
    void very_many_changes_are_waited_for_a_minute_at_most_each_time() {
        write(VERY_MANY);
        assertThat(patience.waits()).isTrue();
        nanos += Duration.ofSeconds(59).toNanos();
        assertThat(patience.waits()).isTrue();
        nanos += Duration.ofSeconds(1).toNanos();
        assertThat(patience.waits()).isFalse();
        assertThat(patience.waits()).isTrue();
    }

    @Test
    void a_few_changes_are_not_waited_for() {
        write(20);
        assertThat(patience.waits()).isFalse();
    }

    @Test
    void a_server_that_does_not_tell_the_changes_to_index_is_not_waited_for() {
        write(VERY_MANY);
        couch.faults().answer(1, request -> request.path().endsWith("/_info"), 403);
        assertThat(patience.waits()).isFalse();
    }

    private void write(int documents) {
        CouchDatabase database = queue.database();
        var unused = database.bulkDocs(IntStream.range(0, documents)
                .mapToObj(n -> JsonNodeFactory.instance.objectNode().put("_id", "n" + n))
                .toList());
    }
}
