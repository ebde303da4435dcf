package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.NotFoundException;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(60)
class BulkActTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void every_job_is_acted_on_once_and_reported_in_the_order_of_the_selection() {
        Map<JobId, Integer> acts = new ConcurrentHashMap<>();

        ExitCode exitCode = act(1_234, "ndjson", id -> {
            acts.merge(id, 1, Integer::sum);
            return "cancelled";
        });

        assertThat(exitCode).isEqualTo(ExitCode.DONE);
        assertThat(acts).hasSize(1_234).allSatisfy((id, times) -> assertThat(times)
                .isEqualTo(1));
        List<String> lines = out.toString().lines().toList();
        assertThat(lines).hasSize(1_234);
        assertThat(lines.get(777))
                .isEqualTo("{\"type\":\"email\",\"id\":\"777\",\"outcome\":\"changed\",\"result\":\"cancelled\"}");
        assertThat(err.toString()).contains("changed 1234, refused 0, gone 0");
    }

    @Test
    void refusals_are_counted_by_reason_and_fail_the_command_and_what_is_gone_does_not() {
        Function<JobId, String> half = id -> {
            int number = Integer.parseInt(id.id());
            if (number % 4 == 3) {
                throw new NotFoundException(id);
            } else if (number % 4 == 2) {
                throw new JobRefusedException(id, "is " + JobStatus.RUNNING.json() + "; nothing was written");
            }
            return "removed";
        };

        assertThat(act(1_000, "json", half)).isEqualTo(ExitCode.FAILED);

        JsonNode json = new TestShell.Said(1, out.toString(), "").json();
        assertThat(json.path("changed").asInt()).isEqualTo(500);
        assertThat(json.path("refused").asInt()).isEqualTo(250);
        assertThat(json.path("gone").asInt()).isEqualTo(250);
        assertThat(json.path("reasons")).hasSize(3);
        assertThat(json.path("reasons").get(1))
                .hasToString(
                        "{\"outcome\":\"refused\",\"reason\":\"is running\",\"jobs\":250,\"example\":\"email:2\"}");
    }

    @Test
    void people_read_the_same_in_lines() {
        ExitCode exitCode = act(2, "table", id -> {
            if (id.id().equals("0")) {
                throw new NotFoundException(id);
            }
            return "cancelled";
        });

        assertThat(exitCode).isEqualTo(ExitCode.DONE);
        assertThat(out.toString())
                .isEqualTo("changed 1, refused 0, gone 1\n  gone 1: was gone already\n  changed 1: cancelled\n");
    }

    @Test
    void ids_are_those_of_the_jobs_that_were_changed_and_one_job_is_no_plural() {
        act(2, "id", id -> {
            if (id.id().equals("0")) {
                throw new JobRefusedException(id, "is running; nothing was written");
            }
            return "cancelled";
        });
        assertThat(out.toString()).isEqualTo("1\n");

        act(1, "id", id -> "cancelled");
        assertThat(err.toString()).contains("couchjobs: 1 job in ");
    }

    @Test
    void the_quiet_are_told_why_jobs_refused_and_nothing_else() {
        act(ids(3), List.of("-q", "-o", "id"), id -> {
            if (id.id().equals("0")) {
                throw new JobRefusedException(id, "is running; nothing was written");
            } else if (id.id().equals("1")) {
                throw new NotFoundException(id);
            }
            return "cancelled";
        });
        assertThat(out.toString()).isEqualTo("2\n");
        assertThat(err.toString()).isEqualTo("couchjobs:   refused 1: is running (such as email:0)\n");
    }

    @Test
    void the_quiet_are_told_what_was_done_before_trouble_ended_it() {
        assertThatThrownBy(() -> act(ids(1), List.of("-q"), id -> {
                    throw new IllegalStateException("the database is away");
                }))
                .hasMessage("the database is away");
        assertThat(err.toString()).isEqualTo("couchjobs: stopped: changed 0, refused 0, gone 0\n");
    }

    @Test
    void ever_new_reasons_do_not_fill_the_memory() {
        act(5_000, "json", id -> {
            throw new JobRefusedException(id, "is in a mood of its own, " + id.id());
        });

        JsonNode json = new TestShell.Said(1, out.toString(), "").json();
        assertThat(json.path("refused").asInt()).isEqualTo(5_000);
        assertThat(json.path("reasons")).hasSize(101);
        assertThat(json.path("reasons").get(100).path("jobs").asInt()).isEqualTo(4_900);
    }

    @Test
    void trouble_with_the_database_ends_it_and_what_was_done_is_said() {
        assertThatThrownBy(() -> act(2_000, "table", id -> {
                    if (Integer.parseInt(id.id()) >= 600) {
                        throw new IllegalStateException("the database is away");
                    }
                    return "removed";
                }))
                .hasMessage("the database is away");

        // those that had begun when it was noticed
        assertThat(err.toString()).containsPattern("stopped: changed (600|5[89]\\d)");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void when_their_list_fails_the_jobs_that_were_begun_are_counted_and_no_others_are_begun() {
        Thread lister = Thread.currentThread();
        CountDownLatch begun = new CountDownLatch(16);
        CountDownLatch failed = new CountDownLatch(1);
        Stream<JobId> failing = Stream.generate(() -> {
            await(begun);
            failed.countDown();
            throw new IllegalStateException("the list is away");
        });
        Function<JobId, String> act = id -> {
            begun.countDown();
            await(failed);
            while (lister.getState() != Thread.State.WAITING) { // for the jobs that were begun
                Thread.onSpinWait();
            }
            return "retried";
        };

        assertThatThrownBy(() -> act(Stream.concat(ids(150), failing), "id", act))
                .hasMessage("the list is away");

        assertThat(err.toString()).contains("stopped: changed 16,");
        assertThat(out.toString().lines()).hasSize(16);
    }

    @Test
    void a_signal_ends_it_although_no_job_is_let_through() {
        BulkAct bulk = bulk(List.of("-o", "json"), id -> "removed");
        AtomicInteger looks = new AtomicInteger();
        Stream<JobId> interrupted = ids(1_000).peek(id -> {
            if (looks.incrementAndGet() == 100) {
                bulk.stop();
            }
        });

        ExitCode exitCode =
                bulk.run(bulk.lookAt(interrupted).filter(id -> id.id().equals("7")));

        assertThat(looks).hasValue(100);

        assertThat(exitCode).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(new TestShell.Said(130, out.toString(), "")
                        .json()
                        .path("changed")
                        .asInt())
                .isEqualTo(1);
        assertThat(err.toString()).contains("1 job in", "stopped before the end");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private ExitCode act(int jobs, String format, Function<JobId, String> act) {
        return act(ids(jobs), format, act);
    }

    private static Stream<JobId> ids(int jobs) {
        return IntStream.range(0, jobs).mapToObj(i -> new JobId("email", "" + i));
    }

    private ExitCode act(Stream<JobId> ids, String format, Function<JobId, String> act) {
        return act(ids, List.of("-o", format), act);
    }

    private ExitCode act(Stream<JobId> ids, List<String> options, Function<JobId, String> act) {
        return bulk(options, act).run(ids);
    }

    private BulkAct bulk(List<String> options, Function<JobId, String> act) {
        Couchjobs root = new Couchjobs(new TestShell().shell(out, err));
        CommandLine line = Cli.commandLine(root);
        line.parseArgs(options.toArray(String[]::new));
        return new BulkAct(root, act);
    }
}
