package io.couchjobs.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.type.TypeCounts;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jline.utils.AttributedString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FrameTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    private static final String NASTY = "tür\u001b[2J郵便\n\"";

    @Test
    void it_tells_what_is_due_who_works_and_what_failed() {
        List<String> lines = Frame.of(snapshot(2, 2, 2), Cursor.START, "", 120, 30, false);

        assertThat(lines.get(0)).contains("shop", "12:00:00Z", "done 2.5/s", "retried 0.0/s", "failed 1.0/s", "█");
        assertThat(lines.get(1)).contains("waiting 20", "running 2", "failed 10");
        assertThat(lines.get(2)).contains("oldest due 5m", "workers 1 live, 1 silent");
        assertThat(lines)
                .anySatisfy(line -> assertThat(line).startsWith("> type-0").contains("10", "-"));
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("type-1 (paused)"));
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("worker-0", "live", "1 job", "email,report"));
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("worker-1", "unregistered"));
        assertThat(lines).anySatisfy(line -> assertThat(line)
                .contains("email:job-1", "failed", "run 6", "2m", "no such mailbox"));
        assertThat(lines.get(lines.size() - 1)).startsWith("? help");
    }

    @Test
    void enter_shows_the_chosen_job_until_a_key_is_pressed() {
        Snapshot snapshot = snapshot(2, 0, 2);
        Actions actions = new Actions(null);
        Cursor job = actions.apply(Key.SHOW, Cursor.START.switched(), snapshot);

        List<String> lines = Frame.of(snapshot, job, "", 120, 30, false);
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("email:job-0", "attempt"));
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("no such mailbox"));
        assertThat(lines).noneMatch(line -> line.contains("OLDEST"));
        assertThat(lines.get(lines.size() - 1)).contains("any key");

        assertThat(actions.apply(Key.NONE, job, snapshot)).isEqualTo(job);
        assertThat(actions.apply(Key.OTHER, job, snapshot).page()).isEmpty();
        assertThat(actions.apply(Key.SHOW, Cursor.START, snapshot).message()).contains("choose one");
        assertThat(actions.apply(Key.HELP, Cursor.START, snapshot).page()).isEqualTo(Pages.HELP);
    }

    @Test
    void the_lists_can_be_about_one_type() {
        Snapshot snapshot = snapshot(3, 0, 2);
        Actions actions = new Actions(null);
        Cursor one = actions.apply(Key.FILTER, Cursor.START.moved(1, snapshot), snapshot);

        List<String> lines = Frame.of(one.shown(snapshot), one, "", 120, 30, false);
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("only type-1"));
        assertThat(lines).noneMatch(line -> line.contains("type-0") || line.contains("email:job"));
        assertThat(actions.apply(Key.FILTER, one, one.shown(snapshot)).only()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"80,24", "40,10", "200,60", "20,5", "1,1", "80,3", "80,0", "0,24"})
    void it_is_never_larger_than_the_screen_whatever_it_shows(int width, int height) {
        for (int many : new int[] {0, 1, 7, 300}) {
            for (boolean colour : new boolean[] {true, false}) {
                Cursor cursor = new Cursor(Cursor.Pane.FAILURES, many - 1, "");
                List<String> lines =
                        Frame.of(snapshot(many, many, many), cursor, "away: " + NASTY, width, height, colour);
                assertThat(lines.size()).isLessThanOrEqualTo(height);
                assertThat(lines).allSatisfy(line -> {
                    String shown = AttributedString.stripAnsi(line);
                    assertThat(Cell.columns(shown)).as(shown).isLessThanOrEqualTo(width);
                    assertThat(shown.chars()).noneMatch(Character::isISOControl);
                });
            }
        }
    }

    @Test
    void a_small_screen_shows_one_list_rather_than_the_headings_of_three() {
        for (Cursor.Pane pane : Cursor.Pane.values()) {
            List<String> lines = Frame.of(snapshot(9, 9, 9), new Cursor(pane, 2, ""), "", 40, 10, false);
            assertThat(lines).hasSize(10);
            assertThat(lines).anyMatch(line -> line.startsWith("> ") && line.contains("-2"));
            assertThat(lines.stream().filter(line -> line.matches("[> ] \\S+-\\d.*")))
                    .hasSizeGreaterThan(3);
        }
        List<String> failures = Frame.of(snapshot(9, 9, 9), new Cursor(Cursor.Pane.FAILURES, 0, ""), "", 60, 24, false);
        assertThat(failures).anyMatch(line -> line.contains("no such mail"));
    }

    @Test
    void the_chosen_row_is_always_shown() {
        Snapshot snapshot = snapshot(100, 100, 100);
        for (Cursor.Pane pane : Cursor.Pane.values()) {
            for (int row : new int[] {0, 1, 5, 50, 98, 99, 1_000}) {
                // 50 jobs at most are read, but a frame shows what it is given
                List<String> lines = Frame.of(snapshot, new Cursor(pane, row, ""), "", 100, 24, false);
                assertThat(lines.stream().filter(line -> line.startsWith("> ")))
                        .as(pane + " " + row)
                        .hasSize(1)
                        .allMatch(line -> line.matches("> \\S+-" + Math.min(row, 99) + " .*"));
            }
        }
    }

    @Test
    void control_characters_of_jobs_do_not_drive_the_terminal_and_colours_only_dress() {
        String plain = String.join("\n", Frame.of(snapshot(3, 3, 3), Cursor.START, NASTY, 100, 30, false));
        String dressed = String.join("\n", Frame.of(snapshot(3, 3, 3), Cursor.START, NASTY, 100, 30, true));

        assertThat(plain).doesNotContain("\u001b").contains("\\u001b[2J");
        assertThat(dressed).contains("\u001b[31m").doesNotContain("\u001b[2J");
        assertThat(AttributedString.stripAnsi(dressed)).isEqualTo(plain);
    }

    @Test
    void without_a_terminal_everything_is_shown() {
        List<String> lines = Frame.text(snapshot(100, 10, 40), 160);

        assertThat(lines).hasSizeGreaterThan(150);
        assertThat(lines).noneMatch(line -> line.startsWith(">"));
    }

    @Test
    void lists_share_the_lines_and_what_one_does_not_need_others_get() {
        assertThat(Shares.of(10, 100, 100, 100)).containsExactly(4, 3, 3);
        assertThat(Shares.of(10, 100, 1, 0)).containsExactly(9, 1, 0);
        assertThat(Shares.of(10, 2, 2, 2)).containsExactly(2, 2, 2);
        assertThat(Shares.of(-3, 2, 2, 2)).containsExactly(0, 0, 0);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 1_000; i++) {
            int rows = random.nextInt(50);
            int shown = random.nextInt(rows + 1);
            int chosen = random.nextInt(rows + 1);
            int first = Shares.first(rows, shown, chosen);
            assertThat(first).as("seed " + seed).isBetween(0, rows - shown);
        }
    }

    static Snapshot snapshot(int types, int workers, int failures) {
        Map<String, TypeCounts> counts = new TreeMap<>(Comparator.comparing(FrameTest::number));
        for (int i = 0; i < types; i++) {
            counts.put(
                    "type-" + i,
                    new TypeCounts(
                            Map.of(JobStatus.WAITING, 10L, JobStatus.RUNNING, 1L, JobStatus.FAILED, 5L),
                            i == 0 ? NOW.minusSeconds(300) : NOW.minusSeconds(900)));
        }
        List<WorkerInfo> who = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            WorkerInfo.Registered known = new WorkerInfo.Registered(
                    NOW.minusSeconds(5),
                    NOW.minusSeconds(500),
                    4711,
                    List.of("email", "report"),
                    Duration.ofSeconds(20));
            WorkerInfo.OwnedJob owned = new WorkerInfo.OwnedJob(new JobId("email", "" + i), "worker-" + i, "1-a");
            who.add(new WorkerInfo("worker-" + i, i % 2 == 0 ? known : null, List.of(owned)));
        }
        List<Job> failed = new ArrayList<>();
        for (int i = 0; i < failures; i++) {
            failed.add(job(i));
        }
        return new Snapshot(
                "shop",
                NOW,
                counts,
                types == 2 ? Set.of("type-1") : Set.of(),
                who,
                failed,
                new Meter.Rates(2.5, 0, 1, List.of(0L, 3L, 7L)));
    }

    private static int number(String name) {
        return Integer.parseInt(name.substring(name.indexOf('-') + 1));
    }

    private static Job job(int number) {
        try {
            return Job.parse(new JsonMapper()
                    .readTree("{\"_id\":\"job:email:job-" + number
                            + "\",\"status\":\"failed\",\"attempt\":6,\"errors\":[{"
                            + "\"attempt\":6,\"at\":" + NOW.minusSeconds(120).toEpochMilli()
                            + ",\"kind\":\"failed\",\"message\":\"no such mailbox \\u001b[2J 郵便\"}]}"));
        } catch (IOException cannotHappen) {
            throw new AssertionError(cannotHappen);
        }
    }
}
