package io.couchjobs.engine.history;

import static io.couchjobs.testing.SourceDatabases.save;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.History;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.RunReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What workers did is counted by minute and hour, once, whoever dies meanwhile. */
@ServerTest
@Timeout(120)
class HistoryTest extends PlayedHistory {
    private static final String THIS_HOUR = "stats:2026-03-01T10";

    private void awaitWaiting(long jobs) throws Exception {
        TestQueue.until(() -> queue.types().counts().values().stream()
                        .mapToLong(counts -> counts.byStatus().get(JobStatus.WAITING))
                        .sum()
                == jobs);
    }

    @Test
    void runs_of_three_workers_add_up_though_one_is_killed_between_minutes() throws Exception {
        int runs = 0;
        for (int minute = 0; minute < 20; minute++) {
            List<String> alive = minute < 10 ? List.of("a", "b", "c") : List.of("a", "b");
            alive.forEach(worker -> workers.run(worker, "email", 100));
            runs += alive.size() * 100;
            workers.run("a", "sms", RunReport.Outcome.FAILED, Duration.ofMillis(5));
            workers.pass(MINUTE);
            alive.forEach(workers::write);
            if (minute == 9) {
                workers.run("c", "email", 3);
                workers.kill("c");
                runs += 3;
            }
            workers.collect("a");
        }

        History.Point email = workers.total("email", HOUR);
        assertThat(email.runs()).isCloseTo(runs, withinPercentage(1)).isEqualTo(runs - 3);
        assertThat(email.failures()).isZero();
        assertThat(workers.total("sms", HOUR).failures()).isEqualTo(20);
    }

    @Test
    void the_first_runs_of_a_worker_are_seen_before_their_minute_is_over_and_count_once() throws Exception {
        workers.run("a", "email", 3);
        workers.write("a");
        awaitRuns(3);
        workers.run("a", "email", 2);
        workers.write("a");
        assertThat(workers.total("email", HOUR).runs()).isEqualTo(3);

        workers.pass(MINUTE);
        workers.write("a");
        workers.collect("b");

        assertThat(workers.total("email", HOUR).runs()).isEqualTo(5);
    }

    @Test
    void a_run_that_was_not_collected_is_read_all_the_same_and_counts_once_when_it_is_collected() throws Exception {
        workers.run("a", "email", 7);
        workers.pass(MINUTE);
        workers.write("a");
        awaitRuns(7);

        workers.collect("b");

        assertThat(workers.total("email", HOUR).runs()).isEqualTo(7);
    }

    @Test
    void collecting_twice_counts_once_also_by_a_process_that_has_forgotten_what_it_collected() {
        workers.run("a", "email", 7);
        workers.pass(MINUTE);
        workers.write("a");

        workers.collect("b");
        workers.collect("b");
        workers.restartCollector("b");
        workers.collect("b");

        assertThat(workers.total("email", HOUR).runs()).isEqualTo(7);
    }

    @Test
    void collecting_by_many_at_the_same_moment_counts_once() {
        for (int minute = 0; minute < 3; minute++) {
            for (int worker = 0; worker < 4; worker++) {
                workers.run("w" + worker, "email", 10);
            }
            workers.pass(HourDocument.TURN);
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int worker = 0; worker < 4; worker++) {
                workers.write("w" + worker);
            }
            for (int worker = 0; worker < 4; worker++) {
                Collector collector = workers.collector("w" + worker);
                all.add(CompletableFuture.runAsync(collector::collect));
            }
            all.forEach(CompletableFuture::join);
        }

        assertThat(workers.total("email", HOUR).runs()).isEqualTo(120);
    }

    @Test
    void one_collects_until_it_does_no_more_and_then_another() {
        workers.collect("a");
        workers.pass(MINUTE);
        workers.collect("b");
        assertThat(collector()).isEqualTo("a");

        workers.pass(HourDocument.TURN);
        workers.collect("b");
        assertThat(collector()).isEqualTo("b");

        workers.collect("a");
        assertThat(collector()).isEqualTo("b");
    }

    @Test
    void a_turn_that_was_taken_by_a_clock_that_was_wrong_holds_nobody_up() {
        workers.pass(Duration.ofMinutes(40));
        workers.collect("from-the-future");
        workers.pass(Duration.ofMinutes(-40));

        workers.collect("a");

        assertThat(collector()).isEqualTo("a");
    }

    @Test
    void a_worker_looks_at_first_and_then_only_when_nobody_is_heard_to_collect() {
        Collector a = workers.collector("a");
        a.look();
        assertThat(collector()).isEqualTo("a");

        Collector b = workers.collector("b");
        b.look();
        workers.pass(HourDocument.TURN);
        b.changed(new FeedEvent(THIS_HOUR, "2-x", false, null, false));
        workers.pass(MINUTE);
        b.look();
        assertThat(collector()).isEqualTo("a");

        b.changed(new FeedEvent("stats:2026-03-01", "2-x", false, null, false));
        workers.pass(HourDocument.TURN.minus(MINUTE));
        b.look();
        assertThat(collector()).isEqualTo("b");
    }

    @Test
    void a_worker_that_ran_nothing_writes_nothing() throws Exception {
        workers.write("a");
        workers.close("a");
        assertThat(workers.workers()).isEmpty();

        workers.run("b", "email", 1);
        workers.pass(MINUTE);
        workers.write("b");
        TestQueue.until(() -> !workers.workers().isEmpty());
        String written = workers.workers().get(0).path("_id").asText();
        String rev = queue.database().get(written).orElseThrow().path("_rev").asText();
        workers.pass(MINUTE);
        workers.write("b");

        assertThat(queue.database().get(written).orElseThrow().path("_rev").asText())
                .isEqualTo(rev);
    }

    @Test
    void a_clock_that_goes_back_loses_nothing() {
        workers.run("a", "email", 3);
        workers.pass(MINUTE);
        workers.run("a", "email", 3);
        workers.pass(MINUTE.negated());
        workers.run("a", "email", 3);
        workers.pass(Duration.ofMinutes(2));
        workers.write("a");

        workers.collect("b");

        assertThat(workers.total("email", HOUR).runs()).isEqualTo(9);
    }

    @Test
    void a_run_that_gave_its_job_back_or_lost_it_is_none() {
        for (RunReport.Outcome outcome : RunReport.Outcome.values()) {
            workers.run("a", "email", outcome, Duration.ofMillis(10));
        }
        workers.close("a");

        assertThat(workers.total("email", HOUR).runs()).isEqualTo(4);
        assertThat(workers.total("email", HOUR).failures()).isEqualTo(2);
    }

    @Test
    void percentiles_are_right_within_ten_percent() {
        for (int millis = 1; millis <= 1000; millis++) {
            workers.run("a", "email", RunReport.Outcome.SUCCEEDED, Duration.ofMillis(millis));
        }
        workers.close("a");

        History.Point email = workers.total("email", HOUR);
        assertThat(email.p50().toNanos()).isCloseTo(500_000_000L, withinPercentage(10));
        assertThat(email.p95().toNanos()).isCloseTo(950_000_000L, withinPercentage(10));
    }

    @Test
    void the_jobs_that_wait_are_counted_with_each_collection() throws Exception {
        for (int i = 0; i < 3; i++) {
            queue.add(JobRequest.of("email", Map.of()));
        }
        awaitWaiting(3);
        workers.collect("a");
        queue.add(JobRequest.of("sms", Map.of()));
        awaitWaiting(4);
        workers.pass(MINUTE);
        workers.collect("a");

        History.Chart chart = workers.history().read(BEGIN, BEGIN.plus(HOUR), MINUTE);

        assertThat(chart.byType().get("email").points())
                .extracting(History.Point::waiting)
                .startsWith(3L, 3L, 0L);
        assertThat(chart.all().points()).extracting(History.Point::waiting).startsWith(3L, 4L, 0L);
        assertThat(chart.all().total().waiting()).isEqualTo(4);
    }

    @Test
    void a_chart_has_each_step_and_adds_up_its_minutes() {
        for (int minute = 0; minute < 30; minute++) {
            workers.run("a", "email", minute == 12 ? 0 : 1);
            workers.pass(MINUTE);
        }
        workers.close("a");

        History.Chart chart = workers.history().read(BEGIN, BEGIN.plus(HOUR), Duration.ofMinutes(10));

        assertThat(chart.from()).isEqualTo(Instant.parse("2026-03-01T10:00:00Z"));
        assertThat(chart.byType().get("email").points())
                .extracting(History.Point::runs)
                .containsExactly(0L, 0L, 10L, 0L, 0L, 0L, 0L);
        assertThat(chart.all().points().get(1).p50()).isNull();
    }

    @Test
    void hours_are_summed_up_and_stay_when_their_minutes_go() {
        workers.run("a", "email", 8);
        workers.close("a");
        workers.pass(HOUR.plus(HistoryStore.CLOSED_AFTER));
        workers.tidy();
        assertThat(runsByHour()).isEqualTo(8);
        assertThat(queue.database().get(THIS_HOUR)).isPresent();

        workers.pass(HistoryStore.KEEP_HOURS);
        workers.tidy();

        assertThat(queue.database().get(THIS_HOUR)).isEmpty();
        assertThat(runsByHour()).isEqualTo(8);

        workers.pass(HistoryStore.KEEP_DAYS);
        workers.tidy();
        assertThat(queue.database().get("stats:2026-03-01")).isEmpty();
    }

    @Test
    void minutes_that_come_while_their_hour_is_summed_up_are_in_the_day_after_the_next_sweep() {
        workers.run("a", "email", 8);
        workers.close("a");
        workers.run("b", "email", 1);
        workers.pass(HOUR.plus(HistoryStore.CLOSED_AFTER));
        workers.tidy();
        workers.pass(MINUTE.negated());
        workers.close("b");
        workers.pass(MINUTE);
        workers.tidy();
        assertThat(runsByHour()).isEqualTo(9);
    }

    @Test
    void an_hour_that_is_not_summed_up_yet_is_read_by_hours_too() throws Exception {
        workers.run("a", "email", 8);
        workers.close("a");
        workers.run("b", "email", 1);
        workers.pass(MINUTE);
        workers.write("b");

        TestQueue.until(() -> runsByHour() == 9); // see awaitRuns
    }

    @Test
    @NeedsOneCopy("tombstones are purged on one node")
    void a_garbage_collection_takes_in_what_was_left_and_purges_what_was_deleted(TestDatabase database)
            throws Exception {
        assumeFalse(database.serverName().contains("PouchDB"), "PouchDB Server counts no tombstones, and purges none");
        workers.run("a", "email", 1);
        workers.pass(MINUTE);
        workers.write("a");
        workers.close("a");
        assertThat(queue.database().info().deletedDocCount()).isEqualTo(1);

        TestQueue.gc(queue).keepTombstones(Duration.ZERO).run();

        assertThat(queue.database().info().deletedDocCount()).isZero();
    }

    @Test
    void very_many_types_are_summed_up_as_one_and_the_document_stays_small() {
        for (int type = 0; type < 300; type++) {
            workers.run("a", "type" + type, 2);
        }
        workers.close("a");

        History.Chart chart = workers.history().read(BEGIN, BEGIN.plus(HOUR), MINUTE);
        assertThat(chart.byType()).hasSize(101);
        assertThat(chart.byType().get(":other").total().runs()).isEqualTo(400);
        assertThat(chart.all().total().runs()).isEqualTo(600);
    }

    @Test
    void a_full_hour_of_twenty_types_has_less_than_half_a_megabyte() {
        for (int minute = 0; minute < 60; minute++) {
            for (int type = 0; type < 20; type++) {
                for (int took = 1; took < 20_000; took *= 2) {
                    workers.run("a", "type" + type, RunReport.Outcome.SUCCEEDED, Duration.ofMillis(took));
                }
            }
            workers.pass(MINUTE);
            workers.write("a");
            workers.collect("a");
        }
        ObjectNode hour = queue.database().get(THIS_HOUR).orElseThrow();
        assertThat(hour.path("minutes")).hasSize(60);
        assertThat(hour.toString().length()).isLessThan(500_000);
    }

    @Test
    void marks_are_kept_with_their_time_and_the_oldest_of_too_many_go() {
        History.Mark first = workers.history().mark("v1.4");
        workers.pass(MINUTE);
        History.Mark second = workers.history().mark("v1.5");

        assertThat(marks()).containsExactly(first, second);
        assertThat(first).isEqualTo(new History.Mark(BEGIN, "v1.4"));
        assertThat(workers.history().marks(second.at(), second.at().plusMillis(1)))
                .containsExactly(second);

        for (int i = 0; i < 99; i++) {
            workers.pass(Duration.ofMillis(1));
            workers.history().mark("more");
        }
        assertThat(marks()).hasSize(100).startsWith(second);
    }

    @Test
    void a_mark_and_a_step_that_make_no_sense_are_refused() {
        History history = workers.history();
        assertThatIllegalArgumentException().isThrownBy(() -> history.mark(" "));
        assertThatIllegalArgumentException().isThrownBy(() -> history.mark("x".repeat(201)));
        for (Duration step : List.of(Duration.ZERO, Duration.ofSeconds(90), Duration.ofMinutes(90))) {
            assertThatIllegalArgumentException().isThrownBy(() -> history.read(BEGIN, BEGIN.plus(HOUR), step));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> history.read(BEGIN, BEGIN.plus(Duration.ofDays(8)), MINUTE));
    }

    private List<History.Mark> marks() {
        return workers.history().marks(BEGIN, BEGIN.plus(HOUR));
    }

    private String collector() {
        return queue.database().get(THIS_HOUR).orElseThrow().path("by").asText();
    }

    @Test
    void the_document_of_alarms_of_former_rules_is_deleted_when_nobody_has_looked_for_very_long() {
        Instant now = workers.now();
        save(queue.database(), alarms("used", now.minus(Duration.ofDays(399))));
        save(queue.database(), alarms("former", now.minus(Duration.ofDays(401))));

        workers.tidy();

        assertThat(queue.database().get("stats:alarm:used")).isPresent();
        assertThat(queue.database().get("stats:alarm:former")).isEmpty();
    }

    private static String alarms(String name, Instant at) {
        return "{'_id':'stats:alarm:" + name + "','by':'watcher','at':" + at.toEpochMilli() + ",'open':{}}";
    }
}
