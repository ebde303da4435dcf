package io.couchjobs.engine.index;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The documents of many rows of the index, which may be older than these. */
@ServerTest
class JobIndexTest {
    private TestDatabase database;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase fresh) {
        database = fresh;
        queue = TestQueue.open(database);
        queue.addAll(IntStream.range(0, 6).mapToObj(i -> request("" + i)).toList());
    }

    @AfterEach
    void close() {
        queue.close();
    }

    @Test
    void the_jobs_come_in_the_order_of_the_rows_by_one_request() throws Exception {
        List<ViewResult.Row> rows = rows();
        long before = queue.database().server().requestCount();

        assertThat(read(rows)).containsExactly("0", "1", "2", "3", "4", "5");
        assertThat(read(List.of(rows.get(4), rows.get(1)))).containsExactly("4", "1");
        assertThat(queue.database().server().requestCount() - before).isEqualTo(2);
    }

    @Test
    void a_job_that_has_changed_since_the_index_was_read_is_left_out() throws Exception {
        List<ViewResult.Row> rows = rows();
        queue.setPriority("email", "1", 7);
        queue.remove("email", "2");
        ObjectNode another = queue.get("email", "4").orElseThrow().toDocument();
        Replicated.into(database, another.put("_rev", "2-" + "0".repeat(32)));

        assertThat(read(rows)).containsExactly("0", "3", "5");
    }

    private List<String> read(List<ViewResult.Row> rows) {
        return new JobIndex(new DesignDocuments(queue.database()))
                .unchanged(rows)
                .map(Job::id)
                .map(id -> id.id())
                .toList();
    }

    /** The index of a cluster may be a moment behind. */
    private List<ViewResult.Row> rows() throws Exception {
        AtomicReference<List<ViewResult.Row>> rows = new AtomicReference<>();
        TestQueue.until(() -> {
            rows.set(new DesignDocuments(queue.database())
                    .ask(DesignDocument.JOBS, name -> ViewQuery.of(name, "due"))
                    .rows());
            return rows.get().size() == 6;
        });
        return rows.get();
    }

    private static JobRequest request(String id) {
        return JobRequest.builder("email").id(id).data(Map.of()).build();
    }
}
