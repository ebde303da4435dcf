package io.couchjobs.sites;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A database that lost its name, as one that was restored by replication, is told apart from one that needs none. */
@ServerTest
class LostNameTest {
    private TestDatabase database;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase its) {
        database = its;
        queue = TestQueue.open(database);
    }

    @AfterEach
    void close() {
        queue.close();
    }

    private static JobRequest.Builder email(String id) {
        return JobRequest.builder("email").id(id).data(Map.of());
    }

    private static List<String> found(JobQueue queue) {
        return queue.operations().problems().stream()
                .filter(problem -> problem.name().equals("site"))
                .map(Problem::finding)
                .toList();
    }

    @Test
    void jobs_of_a_site_in_a_database_without_a_name_are_told_with_the_site() {
        queue.add(email("1").site("munich").build());
        queue.add(email("2").site("munich").build());
        queue.add(email("3").site("oslo").build());
        assertThat(found(queue))
                .containsExactly(
                        "this database has no name, and all its jobs are of sites; unfinished: munich 2, oslo 1");
    }

    @Test
    void an_empty_database_lost_nothing() {
        assertThat(found(queue)).isEmpty();
    }

    @Test
    void finished_jobs_need_no_site_that_runs_them() {
        queue.add(email("1").site("munich").build());
        queue.cancel("email", "1", CancelMode.IF_QUEUED);
        assertThat(found(queue)).isEmpty();
    }

    @Test
    void a_database_without_a_name_that_has_jobs_of_its_own_holds_those_of_sites_on_purpose() {
        queue.add(email("1").site("oslo").build());
        queue.add(email("2").build());
        assertThat(found(queue)).isEmpty();
        queue.cancel("email", "2", CancelMode.IF_QUEUED);
        assertThat(found(queue)).as("its own are all finished").isEmpty();
    }

    @Test
    void a_database_with_a_name_holds_jobs_of_other_sites_on_purpose() {
        queue.add(email("1").site("oslo").build());
        try (JobQueue munich = TestQueue.builder(database).site("munich").open()) {
            assertThat(found(munich)).isEmpty();
        }
    }

    @Test
    void workers_may_work_as_a_site_in_a_database_without_a_name() throws Exception {
        queue.add(email("1").site("munich").build());
        queue.add(email("2").site("oslo").build());
        try (JobQueue munich = TestQueue.builder(database).site("munich").open();
                Worker worker =
                        munich.worker().handler("sms", (data, job) -> null).start()) {
            assertThat(worker.concurrency()).isPositive();
            TestQueue.until(() -> found(queue)
                    .equals(List.of("this database has no name, and all its jobs are of sites; unfinished: oslo 1")));
        }
    }
}
