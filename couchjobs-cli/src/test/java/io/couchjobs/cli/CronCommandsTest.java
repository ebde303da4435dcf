package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.junit.TestDatabase;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
@Timeout(120)
class CronCommandsTest {
    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase database) {
        shell = TestShell.at(database);
        done("init");
    }

    @Test
    void a_schedule_is_added_listed_with_its_next_times_and_removed() {
        TestShell.Said added = done(
                "cron",
                "add",
                "nightly",
                "30 2 * * *",
                "report",
                "--zone",
                "Europe/Berlin",
                "--data",
                "{\"n\":1}",
                "--overlap",
                "allow",
                "--missed",
                "all",
                "--group",
                "g",
                "--tag",
                "t");
        assertThat(added.out())
                .startsWith("NAME")
                .contains("nightly  30 2 * * *  Europe/Berlin  report  enabled", "T02:30+0");
        assertThat(added.err()).contains("was created");

        JsonNode listed = done("cron", "list", "--next", "3", "-o", "json").json();
        assertThat(listed).hasSize(1);
        JsonNode schedule = listed.get(0);
        assertThat(schedule.path("name").asText()).isEqualTo("nightly");
        assertThat(schedule.path("cron").asText()).isEqualTo("30 2 * * *");
        assertThat(schedule.path("zone").asText()).isEqualTo("Europe/Berlin");
        assertThat(schedule.path("every").isNull()).isTrue();
        assertThat(schedule.path("overlap").asText()).isEqualTo("allow");
        assertThat(schedule.path("missed").asText()).isEqualTo("all");
        assertThat(schedule.path("job").path("type").asText()).isEqualTo("report");
        assertThat(schedule.path("job").path("data")).hasToString("{\"n\":1}");
        assertThat(schedule.path("job").path("group").asText()).isEqualTo("g");
        assertThat(schedule.path("next")).hasSize(3);
        assertThat(Instant.parse(schedule.path("next").get(0).asText())).isAfter(Instant.now());

        done("cron", "remove", "nightly");
        assertThat(done("cron", "list", "-o", "json").json()).isEmpty();
    }

    @Test
    void to_add_again_replaces_and_says_so() {
        done("cron", "add", "poll", "--every", "5m", "fetch");
        assertThat(done("cron", "add", "poll", "--every", "5m", "fetch").err()).contains("nothing was written");
        assertThat(done("cron", "add", "poll", "--every", "10m", "fetch").err()).contains("replaced");
        JsonNode schedule = done("cron", "list", "-o", "json").json().get(0);
        assertThat(schedule.path("every").asLong()).isEqualTo(600_000);
        assertThat(schedule.path("cron").isNull()).isTrue();
        assertThat(done("cron", "list").out()).contains("every 10m");
    }

    @Test
    void a_disabled_schedule_has_no_next_time_and_can_be_run_by_hand() {
        done("cron", "add", "tick", "@hourly", "report");
        assertThat(done("cron", "disable", "tick", "-o", "json")
                        .json()
                        .path("enabled")
                        .asBoolean())
                .isFalse();
        JsonNode schedule = done("cron", "list", "-o", "json").json().get(0);
        assertThat(schedule.path("next")).isEmpty();
        assertThat(done("cron", "add", "tick", "@hourly", "report").err()).contains("disabled");

        String id = done("cron", "run", "tick").out().strip();
        assertThat(id).startsWith("tick@");
        assertThat(done("inspect", "report", id, "-o", "json")
                        .json()
                        .path("origin")
                        .asText())
                .isEqualTo("schedule:tick");
        assertThat(done("list", "--correlation", "schedule:tick", "-o", "json").json())
                .hasSize(1);
        assertThat(done("cron", "enable", "tick").out()).contains("enabled");
    }

    @Test
    void each_wrong_argument_is_named_and_nothing_is_written() {
        usage("minute \"61\"", "cron", "add", "x", "61 * * * *", "report");
        usage("day of week \"8\"", "cron", "add", "x", "0 0 * * 8", "report");
        usage("no day matches \"0 0 30 2 *", "cron", "add", "x", "0 0 30 2 *", "report");
        usage("Europe/Atlantis", "cron", "add", "x", "@daily", "report", "--zone", "Europe/Atlantis");
        usage("quoted", "cron", "add", "x", "0", "2", "*", "*", "*", "report");
        usage("no EXPR", "cron", "add", "x", "@daily", "report", "--every", "5m");
        usage("every", "cron", "add", "x", "--every", "5ms", "report");
        usage("overlap", "cron", "add", "x", "@daily", "report", "--missed", "all");
        usage("JSON object", "cron", "add", "x", "@daily", "report", "--data", "[1]");
        assertThat(done("cron", "list", "-o", "json").json()).isEmpty();
    }

    @Test
    void a_schedule_that_is_not_there_is_exit_code_3() {
        for (String verb : new String[] {"run", "enable", "disable", "remove"}) {
            TestShell.Said said = shell.run("cron", verb, "nobody");
            assertThat(said.exitCode()).as(verb).isEqualTo(3);
            assertThat(said.err()).contains("nobody");
        }
    }

    private void usage(String named, String... args) {
        TestShell.Said said = shell.run(args);
        assertThat(said.exitCode()).as(said.err()).isEqualTo(2);
        assertThat(said.err()).contains(named).hasLineCount(1);
    }

    private TestShell.Said done(String... args) {
        TestShell.Said said = shell.run(args);
        assertThat(said.exitCode()).as(said.err()).isZero();
        return said;
    }

    @Test
    void a_distance_that_is_too_short_is_told_as_it_is_typed() {
        usage("every must be from 1 s to 3650 days: 0 s", "cron", "add", "x", "--every", "0s", "report");
    }
}
