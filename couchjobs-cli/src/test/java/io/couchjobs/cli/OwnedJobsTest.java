package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a person can do to jobs that somebody runs, and to many jobs at once. */
@ServerTest
@Timeout(180)
class OwnedJobsTest {
    private TestShell shell;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase database) {
        shell = TestShell.at(database);
        queue = TestShell.queue(database);
    }

    @AfterEach
    void close() {
        queue.close();
    }

    @Test
    void a_released_job_waits_again_and_its_owner_halts() throws Exception {
        done("enqueue", "email", "1");
        ClaimedJob claim = claim();

        assertThat(done("release", "email", "1").out()).isEqualTo("email:1 waits for a worker again\n");

        JsonNode job = done("inspect", "email", "1", "-o", "json").json();
        assertThat(job.path("status").asText()).isEqualTo("waiting");
        assertThat(job.path("lock").isNull()).isTrue();
        assertThatThrownBy(() -> claim.finish("late")).isInstanceOf(HaltException.class);
    }

    @Test
    void a_job_that_nobody_has_cannot_be_released_and_one_that_is_not_there_neither() {
        done("enqueue", "email", "1");

        TestShell.Said waiting = shell.run("release", "email", "1");
        TestShell.Said unknown = shell.run("release", "email", "2");

        assertThat(waiting.exitCode()).isEqualTo(4);
        assertThat(waiting.err())
                .startsWith("couchjobs: job email:1 is waiting")
                .hasLineCount(1);
        assertThat(unknown.exitCode()).isEqualTo(3);
        assertThat(unknown.err()).isEqualTo("couchjobs: no such job: email:2\n");
    }

    @Test
    void a_job_that_was_to_be_cancelled_is_cancelled_by_its_release() throws Exception {
        done("enqueue", "email", "1");
        claim();
        assertThat(done("cancel", "email", "1").out()).isEqualTo("email:1 is running, its worker was asked to stop\n");

        assertThat(done("release", "email", "1").out()).contains("cancelled");
    }

    @Test
    void the_reason_of_a_cancel_is_with_a_running_job_and_in_its_error_when_it_has_stopped() throws Exception {
        done("enqueue", "email", "1");
        ClaimedJob claim = claim();
        done("cancel", "email", "1", "--reason", "the customer called");
        assertThat(done("inspect", "email", "1", "-o", "json")
                        .json()
                        .path("cancelReason")
                        .asText())
                .isEqualTo("the customer called");

        claim.acknowledgeCancel("cancelled while it ran");

        assertThat(done("inspect", "email", "1").out()).contains("cancelled while it ran: the customer called");
    }

    @Test
    void all_owned_jobs_of_a_type_are_released_at_once() throws Exception {
        IntStream.range(0, 5).forEach(i -> done("enqueue", "email", "" + i));
        queue.accept(AcceptOptions.of("email").max(3));

        JsonNode released = done("release", "--type", "email", "--status", "running", "--all", "--yes", "-o", "json")
                .json();

        assertThat(released.path("changed").asInt()).isEqualTo(3);
        assertThat(done("list", "--status", "waiting", "-o", "json").json()).hasSize(5);
    }

    @Test
    void many_jobs_are_cancelled_and_those_that_refuse_are_named_by_their_reason() throws Exception {
        queue.addAll(IntStream.range(0, 1_200)
                .mapToObj(i -> JobRequest.builder("email")
                        .id("" + i)
                        .data(Map.of())
                        .tag(i % 2 == 0 ? "even" : "odd")
                        .build())
                .toList());
        for (ClaimedJob claim : queue.accept(AcceptOptions.of("email").max(2))) {
            claim.finish("done");
        }

        TestShell.Said said = shell.run("cancel", "--type", "email", "--all", "--yes", "-o", "json");

        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.json().path("changed").asInt()).isEqualTo(1_198);
        assertThat(said.json().path("refused").asInt()).isEqualTo(2);
        assertThat(said.json().path("reasons").findValuesAsText("reason"))
                .containsExactlyInAnyOrder("cancelled", "has finished already");
        assertThat(done("retry", "--tag", "odd", "--status", "cancelled", "--all", "--yes", "-o", "ndjson")
                        .out()
                        .lines())
                .hasSizeBetween(598, 600)
                .doesNotHaveDuplicates();
    }

    @Test
    void a_status_a_time_and_a_priority_are_given_to_many() {
        IntStream.range(0, 3).forEach(i -> done("enqueue", "email", "" + i, "--correlation", "run-" + i % 2));

        done("reschedule", "--correlation", "run-0", "--at", "2040-01-01T00:00:00Z", "--all", "--yes");
        done("prioritize", "--type", "email", "--status", "waiting", "--priority", "75", "--all", "--yes");
        TestShell.Said nothing = done("remove", "--group", "nobody", "--all", "--yes");

        JsonNode jobs = done("list", "--correlation", "run-0", "-o", "json").json();
        assertThat(jobs).hasSize(2);
        assertThat(jobs.findValuesAsText("scheduledTime")).containsOnly("2040-01-01T00:00:00Z");
        assertThat(done("list", "-o", "json").json().findValuesAsText("priority"))
                .containsExactly("75", "75", "75");
        assertThat(nothing.out()).isEqualTo("changed 0, refused 0, gone 0\n");
    }

    @Test
    void a_running_worker_follows_new_settings_at_once() throws Exception {
        done("type", "set", "email", "--max-retries", "3");
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    throw new IllegalStateException("no");
                })
                .start()) {
            done("enqueue", "email", "before");
            awaitStatus("before", JobStatus.STUCK);

            done("type", "set", "email", "--max-retries", "0");

            done("enqueue", "email", "after");
            awaitStatus("after", JobStatus.FAILED);
            // The worker counts a run after it is stored how it ended.
            while (worker.stats().failed() < 1) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void a_paused_type_is_not_claimed_until_it_is_resumed() throws Exception {
        done("pause", "email");
        done("enqueue", "email", "1");
        assertThat(queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                .isEmpty();

        done("resume", "email");

        assertThat(queue.accept(AcceptOptions.of("email").timeout(Duration.ofSeconds(30))))
                .hasSize(1);
    }

    private void awaitStatus(String id, JobStatus status) throws InterruptedException {
        assertThat(queue.await("email", id, java.util.Set.of(status), Duration.ofSeconds(60)))
                .isPresent();
    }

    private ClaimedJob claim() throws InterruptedException {
        List<ClaimedJob> claims = queue.accept(AcceptOptions.of("email"));
        assertThat(claims).hasSize(1);
        return claims.get(0);
    }

    private TestShell.Said done(String... args) {
        TestShell.Said said = shell.run(args);
        assertThat(said.exitCode()).as(said.err()).isZero();
        return said;
    }
}
