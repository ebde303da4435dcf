package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that a worker leaves for long are told. */
@ServerTest
class LateProblemsTest {
    private JobQueue queue;
    private Worker worker;

    @BeforeEach
    void open(TestDatabase database) throws Exception {
        queue = TestQueue.open(database);
        worker = queue.worker()
                .handler("email", (data, context) -> null)
                .filter(job -> false)
                .start();
        TestQueue.until(() -> !queue.operations().workers().isEmpty());
    }

    @AfterEach
    void close() {
        worker.close();
        queue.close();
    }

    private List<String> found() {
        return queue.operations().problems().stream().map(Problem::finding).toList();
    }

    @Test
    void a_job_that_was_created_an_hour_ago_is_late() {
        long created = Instant.now().minus(Duration.ofHours(1)).toEpochMilli();
        queue.database()
                .bulkDocs(List.of(Jobs.json("{'_id':'job:email:1','data':{},'times':{'created':" + created + "}}")));
        assertThat(found()).containsExactly("jobs have been due for more than a minute");
    }

    @Test
    void a_job_that_does_not_say_when_it_was_created_is_not_called_late() {
        queue.database().bulkDocs(List.of(Jobs.json("{'_id':'job:email:1','data':{}}")));
        assertThat(found()).isEmpty();
    }
}
