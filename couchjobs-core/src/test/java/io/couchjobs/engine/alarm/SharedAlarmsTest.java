package io.couchjobs.engine.alarm;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.admin.Alarms;
import io.couchjobs.testing.ServerTest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One of several processes with the same rules tells an alarm. */
@ServerTest
@Timeout(120)
class SharedAlarmsTest extends AlarmedQueue {
    @Test
    void one_of_several_processes_with_the_same_rules_tells_and_another_goes_on_when_it_is_gone() throws Exception {
        AlarmWatch one = alarms().conflicts(0).command(List.of("true")).watch();
        AlarmWatch other = alarms().conflicts(0).command(List.of("true")).watch();
        conflicts.add("job:a:1");
        for (int i = 0; i < 4; i++) {
            one.look();
            look(other, 1);
        }
        assertThat(told).hasSize(1);

        history.pass(PAUSE.multipliedBy(4));
        conflicts.clear();
        look(other, 4);

        assertThat(told).extracting(Alarms.Alarm::raised).containsExactly(true, false);
        assertThat(told.get(1).since()).isEqualTo(told.get(0).at());
    }

    @Test
    void listeners_in_several_processes_are_told_each() throws Exception {
        AlarmWatch one = alarms().conflicts(0).looks(1).watch();
        AlarmWatch other = alarms().conflicts(0).looks(1).watch();
        conflicts.add("job:a:1");
        look(one, 2);
        look(other, 2);
        assertThat(told).hasSize(2);
    }

    @Test
    void nothing_is_written_most_of_the_time_while_all_is_well() throws Exception {
        AlarmWatch watch = alarms().conflicts(0).command(List.of("true")).watch();
        look(watch, 8);
        assertThat(document().path("_rev").asText()).startsWith("4-");
    }

    @Test
    void an_alarm_that_nobody_could_be_told_is_told_by_the_next_process() throws Exception {
        AlarmWatch one = alarms().conflicts(0)
                .looks(1)
                .command(List.of("true"))
                .tell(alarm -> {
                    throw new IllegalStateException("away");
                })
                .watch();
        conflicts.add("job:a:1");
        look(one, 2);
        assertThat(told).hasSize(1);
        assertThat(raisedInDocument().path("told").asBoolean(true)).isFalse();

        AlarmWatch next =
                alarms().conflicts(0).looks(1).command(List.of("true")).watch();
        history.pass(PAUSE.multipliedBy(4));
        look(next, 2);

        assertThat(told).extracting(Alarms.Alarm::raised).containsExactly(true, true);
        assertThat(told.get(1).since()).isEqualTo(told.get(0).at());
        assertThat(raisedInDocument().has("told")).isFalse();
    }

    @Test
    void an_alarm_that_was_told_is_not_told_by_the_next_process() throws Exception {
        AlarmWatch one = alarms().conflicts(0).looks(1).command(List.of("true")).watch();
        conflicts.add("job:a:1");
        look(one, 1);
        history.pass(PAUSE.multipliedBy(4));
        look(alarms().conflicts(0).looks(1).command(List.of("true")).watch(), 2);
        assertThat(told).hasSize(1);
    }
}
