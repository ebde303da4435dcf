package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.After;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Jobs that wait for jobs that do not exist are told. */
@ServerTest
class HeldProblemsTest extends OpenQueue {
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

    @Test
    void a_job_that_waits_for_a_malformed_document_is_told_apart_from_one_whose_job_is_missing() {
        step("s1");
        var broken = queue.database().get("job:step:s1").orElseThrow().put("status", "paused");
        queue.database().put(broken);
        hold("r1", "s1");
        assertThat(found()).containsExactly("job report:r1 waits for step:s1, whose document cannot be a job");
    }

    @Test
    void a_job_that_waits_for_the_success_of_one_that_was_cancelled_is_told() {
        step("s1");
        queue.add(JobRequest.builder("report")
                .id("r1")
                .data(Map.of())
                .after(new JobId("step", "s1"))
                .onFailure(After.OnFailure.WAIT)
                .build());
        assertThat(found()).isEmpty();
        queue.cancel("step", "s1", CancelMode.IF_QUEUED);
        assertThat(found()).containsExactly("job report:r1 waits for step:s1, which did not succeed");
    }

    @Test
    void jobs_that_wait_for_each_other_are_a_circle_that_nothing_ends() {
        waitFor("a", "b");
        waitFor("b", "c");
        waitFor("c", "a");
        waitFor("d", "a");
        assertThat(found())
                .containsExactly(
                        "jobs wait for each other: report:a, which waits for report:b, which waits for report:c,"
                                + " which waits for report:a");
    }

    @Test
    void jobs_that_wait_for_the_same_job_by_two_ways_are_no_circle() {
        step("s1");
        hold("a", "s1");
        waitFor("b", "a");
        waitFor("c", "a");
        queue.add(JobRequest.builder("report")
                .id("d")
                .data(Map.of())
                .after(new JobId("report", "b"))
                .after(new JobId("report", "c"))
                .build());
        assertThat(found()).isEmpty();
    }

    private void waitFor(String id, String other) {
        queue.add(JobRequest.builder("report")
                .id(id)
                .data(Map.of())
                .after(new JobId("report", other))
                .build());
    }
}
