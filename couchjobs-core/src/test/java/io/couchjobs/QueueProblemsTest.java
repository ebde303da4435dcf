package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.type.TypeCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Problems of owners that are not registered, such as programs in Python. */
class QueueProblemsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final WorkerInfo LIVING = new WorkerInfo(
            "living", new WorkerInfo.Registered(NOW, NOW, 1, List.of("other"), Duration.ofMinutes(5)), List.of());
    private static final WorkerInfo UNREGISTERED = new WorkerInfo(
            "unregistered", null, List.of(new WorkerInfo.OwnedJob(new JobId("email", "1"), "unregistered", "2-a")));

    @Test
    void its_jobs_are_a_note_while_a_worker_lives_that_would_take_them_over() {
        assertThat(levels(LIVING, UNREGISTERED)).containsExactly(Problem.Level.NOTE);
    }

    @Test
    void its_jobs_are_a_problem_when_nobody_lives() {
        assertThat(levels(UNREGISTERED)).containsExactly(Problem.Level.PROBLEM);
    }

    @Test
    void it_takes_the_types_of_its_jobs() {
        Map<String, TypeCounts> due = Map.of("email", new TypeCounts(Map.of(JobStatus.WAITING, 1L), NOW));
        assertThat(findings(due, LIVING)).containsExactly("jobs are due, and no living worker takes this type");
        assertThat(findings(due, LIVING, UNREGISTERED)).containsExactly("it is not registered, and owns 1 jobs");
    }

    private static List<Problem.Level> levels(WorkerInfo... workers) {
        return problems(Map.of(), workers).stream().map(Problem::level).toList();
    }

    private static List<String> findings(Map<String, TypeCounts> counts, WorkerInfo... workers) {
        return problems(counts, workers).stream().map(Problem::finding).toList();
    }

    private static List<Problem> problems(Map<String, TypeCounts> counts, WorkerInfo... workers) {
        return new QueueProblems(counts, Map.of(), List.of(workers), NOW).list();
    }
}
