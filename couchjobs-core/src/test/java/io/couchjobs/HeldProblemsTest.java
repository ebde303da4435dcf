package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that wait for jobs that do not exist are told. */
@ServerTest
class HeldProblemsTest {
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
    }

    @AfterEach
    void close() {
        queue.close();
    }

    private void step(String id) {
        queue.add(JobRequest.builder("step").id(id).data(Map.of()).build());
    }

    private void hold(String id, String... awaited) {
        JobRequest.Builder report = JobRequest.builder("report").id(id).data(Map.of());
        List.of(awaited).forEach(other -> report.after(new JobId("step", other)));
        queue.add(report.build());
    }

    private List<String> found() {
        return queue.operations().problems().stream()
                .filter(problem -> problem.name().equals("report"))
                .map(Problem::finding)
                .toList();
    }

    @Test
    void a_job_that_waits_for_one_that_is_there_is_no_problem() {
        step("s1");
        hold("r1", "s1");
        assertThat(found()).isEmpty();
    }

    @Test
    void a_job_that_waits_for_one_that_does_not_exist_is_told_until_that_is_added() {
        step("s1");
        hold("r1", "s1", "s2");
        assertThat(found()).containsExactly("job report:r1 waits for step:s2, which does not exist");
        step("s2");
        assertThat(found()).isEmpty();
    }

    @Test
    void several_jobs_are_one_finding_with_an_example() {
        hold("r1", "s1");
        hold("r2", "s2");
        assertThat(found()).containsExactly("2 jobs wait for jobs that do not exist: report:r1 waits for step:s1");
    }
}
