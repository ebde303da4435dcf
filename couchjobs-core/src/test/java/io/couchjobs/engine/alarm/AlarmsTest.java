package io.couchjobs.engine.alarm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.couchjobs.admin.Alarms;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.type.TypeSettings;
import io.couchjobs.worker.RunReport;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is wrong for some looks is told once, and told when it is over. */
@ServerTest
@Timeout(120)
class AlarmsTest extends AlarmedQueue {
    private static TypeCounts waiting(long jobs, Instant oldest) {
        return new TypeCounts(Map.of(JobStatus.WAITING, jobs), oldest);
    }

    @Test
    void an_alarm_is_raised_by_three_looks_in_a_row_and_ends_by_three() throws Exception {
        AlarmWatch watch = alarms().conflicts(1).watch();
        conflicts.addAll(List.of("job:a:1", "job:a:2"));
        look(watch, 2);
        assertThat(told).isEmpty();

        look(watch, 5);
        assertThat(told).hasSize(1);
        Alarms.Alarm raised = told.get(0);
        assertThat(raised.raised()).isTrue();
        assertThat(raised.rule()).isEqualTo("conflicts");
        assertThat(raised.finding()).isEqualTo("2 documents have conflicts: job:a:1, job:a:2");
        assertThat(raised.at()).isEqualTo(BEGIN.plus(PAUSE.multipliedBy(2)));

        conflicts.clear();
        look(watch, 2);
        assertThat(told).hasSize(1);
        look(watch, 5);
        assertThat(told).hasSize(2);
        assertThat(told.get(1).raised()).isFalse();
        assertThat(told.get(1).since()).isEqualTo(raised.at());
    }

    @Test
    void a_condition_that_comes_and_goes_raises_no_alarm_and_ends_none() throws Exception {
        AlarmWatch watch = alarms().conflicts(0).watch();
        for (int i = 0; i < 6; i++) {
            conflicts.add("job:a:1");
            look(watch, 2);
            conflicts.clear();
            look(watch, 1);
        }
        assertThat(told).isEmpty();

        conflicts.add("job:a:1");
        look(watch, 3);
        for (int i = 0; i < 6; i++) {
            conflicts.clear();
            look(watch, 2);
            conflicts.add("job:a:1");
            look(watch, 1);
        }
        assertThat(told).hasSize(1);
    }

    @Test
    void jobs_that_have_been_due_for_long_raise_an_alarm_for_their_type_unless_it_is_paused() throws Exception {
        settings.put("paused", TypeSettings.none("paused").withPaused(true));
        for (String type : List.of("email", "paused")) {
            counts.put(type, waiting(3, BEGIN.minus(Duration.ofMinutes(6))));
        }
        counts.put("later", waiting(3, BEGIN.minus(Duration.ofMinutes(3))));

        look(alarms().oldestDue(Duration.ofMinutes(5)).looks(1).watch(), 1);

        assertThat(told).extracting(Alarms.Alarm::subject).containsExactly("email");
        assertThat(told.get(0).finding()).isEqualTo("a job has been due for 360 s, more than 300 s");
    }

    @Test
    void a_type_of_which_many_runs_failed_raises_an_alarm_but_not_one_with_few_runs() throws Exception {
        for (int i = 0; i < 20; i++) {
            history.run("w", "email", i < 5 ? RunReport.Outcome.FAILED : RunReport.Outcome.SUCCEEDED, PAUSE);
            history.run("w", "fine", i < 4 ? RunReport.Outcome.RETRIED : RunReport.Outcome.SUCCEEDED, PAUSE);
        }
        history.run("w", "rare", RunReport.Outcome.FAILED, PAUSE);
        history.close("w");
        history.pass(Duration.ofMinutes(1));
        AlarmWatch watch = alarms().failureRate(0.2).looks(1).watch();

        look(watch, 1);
        assertThat(told).extracting(Alarms.Alarm::subject).containsExactly("email");
        assertThat(told.get(0).finding()).isEqualTo("5 of 20 runs failed in the last ten minutes");

        history.pass(Duration.ofMinutes(12));
        look(watch, 1);
        assertThat(told).extracting(Alarms.Alarm::raised).containsExactly(true, false);
    }

    @Test
    void workers_that_are_silent_raise_an_alarm() throws Exception {
        WorkerInfo.Registered living =
                new WorkerInfo.Registered(BEGIN, BEGIN, 1, List.of("email"), Duration.ofMinutes(5));
        WorkerInfo.Registered dead = new WorkerInfo.Registered(
                BEGIN.minus(Duration.ofHours(1)), BEGIN, 1, List.of("email"), Duration.ofMinutes(5));
        workers.add(new WorkerInfo("living", living, List.of()));
        workers.add(new WorkerInfo("dead", dead, List.of()));
        workers.add(new WorkerInfo("a program that is not registered", null, List.of()));

        look(alarms().silentWorkers().looks(1).watch(), 1);

        assertThat(told).extracting(Alarms.Alarm::finding).containsExactly("1 workers give no sign of life: dead");
    }

    @Test
    void many_more_jobs_than_ten_minutes_ago_raise_an_alarm() throws Exception {
        AlarmWatch watch = alarms().growth(100).looks(1).watch();
        for (int minute = 0; minute < 30; minute++) {
            counts.put("slowly", waiting(1000L + minute * 10L, BEGIN));
            counts.put("quickly", waiting(minute < 12 ? 0 : (minute - 12) * 12L, BEGIN));
            watch.look();
            history.pass(Duration.ofMinutes(1));
        }

        assertThat(told).extracting(Alarms.Alarm::subject).containsExactly("quickly");
        assertThat(told.get(0).finding()).isEqualTo("108 jobs wait, 108 more than ten minutes ago");
    }

    @Test
    void growth_is_not_told_to_be_over_by_a_process_that_has_just_begun_to_look() throws Exception {
        AlarmWatch one = alarms().growth(100).looks(1).command(List.of("true")).watch();
        AlarmWatch other =
                alarms().growth(100).looks(1).command(List.of("true")).watch();
        lookWhileJobsGrow(one, 0, 12);
        assertThat(told).extracting(Alarms.Alarm::raised).containsExactly(true);

        lookWhileJobsGrow(other, 12, 30);
        assertThat(told).hasSize(1);

        counts.put("quickly", waiting(0, BEGIN));
        other.look();
        assertThat(told).extracting(Alarms.Alarm::raised).containsExactly(true, false);
    }

    @Test
    void growth_is_not_measured_from_a_time_when_another_process_looked() throws Exception {
        AlarmWatch one = alarms().growth(100).looks(1).command(List.of("true")).watch();
        AlarmWatch other =
                alarms().growth(100).looks(1).command(List.of("true")).watch();
        counts.put("slowly", waiting(0, BEGIN));
        one.look();
        history.pass(Duration.ofMinutes(3));
        for (int minute = 0; minute < 60; minute++) {
            counts.put("slowly", waiting(minute * 5L, BEGIN));
            other.look();
            one.look();
            history.pass(Duration.ofMinutes(1));
        }
        history.pass(Duration.ofMinutes(3));
        one.look();
        assertThat(told).isEmpty();
    }

    private void lookWhileJobsGrow(AlarmWatch watch, int from, int to) throws InterruptedException {
        for (int minute = from; minute < to; minute++) {
            counts.put("quickly", waiting(minute * 12L, BEGIN));
            watch.look();
            history.pass(Duration.ofMinutes(1));
        }
    }

    @Test
    void rules_that_make_no_sense_are_refused() {
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().oldestDue(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().failureRate(1));
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().growth(0));
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().conflicts(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().every(Duration.ofMillis(999)));
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().looks(0));
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().webhook(URI.create("ftp://example.org/")));
        assertThatIllegalArgumentException().isThrownBy(() -> alarms().command(List.of()));
    }
}
