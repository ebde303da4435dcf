package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Logs;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Lines of a log while the database is away. */
class LogsInOutagesTest extends FaultyServer {
    private static final int LINES = 5;

    @Test
    void lines_wait_until_the_database_is_back() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    couch.faults()
                            .answer(
                                    Integer.MAX_VALUE,
                                    request -> request.path().contains("_bulk_docs") && refused.incrementAndGet() > 0,
                                    500);
                    for (int i = 0; i < LINES; i++) {
                        int before = refused.get();
                        context.log("line " + i);
                        TestQueue.until(() -> refused.get() > before);
                    }
                    couch.faults().clear();
                    return null;
                })
                .start()) {
            add("email", "1");
            assertThat(TestQueue.finished(queue, "email", "1").status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(worker.stats().succeeded()).isLessThanOrEqualTo(1);
        }
        List<Logs.Chunk> chunks = queue.logs().read("email", "1").toList();
        assertThat(chunks.stream().flatMap(chunk -> chunk.lines().stream()).map(Logs.Chunk.Line::text))
                .hasSize(LINES)
                .startsWith("line 0");
    }
}
