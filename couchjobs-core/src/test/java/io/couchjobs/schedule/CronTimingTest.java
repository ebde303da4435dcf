package io.couchjobs.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Execution(ExecutionMode.CONCURRENT)
class CronTimingTest {
    private static final List<String> ZONES = List.of(
            "Europe/Berlin",
            "Europe/London",
            "Europe/Dublin",
            "America/New_York",
            "America/Los_Angeles",
            "America/Sao_Paulo",
            "America/Santiago",
            "America/Havana",
            "America/St_Johns",
            "America/Asuncion",
            "Africa/Cairo",
            "Africa/Casablanca",
            "Asia/Beirut",
            "Asia/Jerusalem",
            "Asia/Tehran",
            "Asia/Amman",
            "Australia/Sydney",
            "Australia/Lord_Howe",
            "Pacific/Auckland",
            "Pacific/Chatham",
            "UTC");
    private static final Instant START = Instant.parse("2018-01-01T00:00:00Z");
    private static final Instant END = Instant.parse("2028-01-01T00:00:00Z");
    private static final Duration AROUND = Duration.ofHours(4);

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            30 2 * * *     | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z | 2026-03-30T00:30:00Z
            0,30 2 * * *   | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z | 2026-03-30T00:00:00Z
            0 2,3 * * *    | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z | 2026-03-30T00:00:00Z
            30 2 29 3 *    | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z | 2027-03-29T00:30:00Z
            0 9 * * *      | 2026-03-28T12:00:00Z | 2026-03-29T07:00:00Z | 2026-03-30T07:00:00Z
            30 * * * *     | 2026-03-29T00:45:00Z | 2026-03-29T01:30:00Z | 2026-03-29T02:30:00Z
            */20 2 * * *   | 2026-03-28T12:00:00Z | 2026-03-30T00:00:00Z | 2026-03-30T00:20:00Z
            30 2 * * *     | 2026-10-24T12:00:00Z | 2026-10-25T00:30:00Z | 2026-10-26T01:30:00Z
            30 2 * * *     | 2026-10-25T00:45:00Z | 2026-10-26T01:30:00Z | 2026-10-27T01:30:00Z
            30 * * * *     | 2026-10-25T00:15:00Z | 2026-10-25T00:30:00Z | 2026-10-25T01:30:00Z
            30,45 2 * * *  | 2026-10-25T00:30:00Z | 2026-10-25T00:45:00Z | 2026-10-26T01:30:00Z
            0 3 * * *      | 2026-10-24T12:00:00Z | 2026-10-25T02:00:00Z | 2026-10-26T02:00:00Z
            @daily         | 2026-03-28T12:00:00Z | 2026-03-28T23:00:00Z | 2026-03-29T22:00:00Z
            15 30 2 * * *  | 2026-03-28T12:00:00Z | 2026-03-29T01:00:00Z | 2026-03-30T00:30:15Z
            """)
    void when_the_clocks_of_berlin_change(String cron, Instant after, Instant first, Instant second) {
        assertThat(timing(cron, "Europe/Berlin").next(after, 2)).containsExactly(first, second);
    }

    @Test
    void a_day_that_a_zone_skips_as_a_whole_ticks_when_it_is_over() {
        // Samoa went over the date line: after 29 December 2011 came the 31st.
        assertThat(timing("0 9 * * *", "Pacific/Apia").next(Instant.parse("2011-12-29T20:00:00Z"), 3))
                .containsExactly(
                        Instant.parse("2011-12-30T10:00:00Z"),
                        Instant.parse("2011-12-30T19:00:00Z"),
                        Instant.parse("2011-12-31T19:00:00Z"));
    }

    @Test
    void midnight_that_does_not_exist_is_when_the_day_begins() {
        // Cairo changes at midnight: 24 April 2026 begins at 01:00.
        assertThat(timing("0 0 * * FRI", "Africa/Cairo").next(Instant.parse("2026-04-20T00:00:00Z")))
                .contains(Instant.parse("2026-04-23T22:00:00Z"));
    }

    /** Compares with a search of every minute by rules written down another way. */
    @Test
    void around_every_change_of_the_clocks_in_ten_years_ticks_come_in_order_and_none_too_much_or_too_little() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int changes = 0;
        for (String zone : ZONES) {
            for (ZoneOffsetTransition change : changes(ZoneId.of(zone))) {
                changes++;
                for (String cron : List.of(fixed(random), rhythm(random))) {
                    compare(cron, zone, change.getInstant(), "seed " + seed);
                }
            }
        }
        assertThat(changes).isGreaterThan(250);
    }

    private static void compare(String cron, String zone, Instant change, String seed) {
        Timing.Cron timing = timing(cron, zone);
        Instant from = change.minus(AROUND).minusNanos(1);
        List<Instant> ticks = new ArrayList<>();
        Instant tick = timing.next(from).orElse(Instant.MAX);
        Instant last = from;
        while (tick.isBefore(change.plus(AROUND))) {
            assertThat(tick).as("%s %s at %s, %s", cron, zone, last, seed).isAfter(last);
            ticks.add(tick);
            last = tick;
            tick = timing.next(tick).orElse(Instant.MAX);
        }
        assertThat(ticks)
                .as("%s %s around %s, %s", cron, zone, change, seed)
                .containsExactlyElementsOf(BruteForce.ticks(cron, ZoneId.of(zone), change, AROUND));
        for (Instant probe : List.of(change.minusMillis(1), change, change.plusSeconds(1800))) {
            Instant next = new TreeSet<>(ticks).higher(probe);
            if (next != null) {
                assertThat(timing.next(probe))
                        .as("%s %s after %s, %s", cron, zone, probe, seed)
                        .contains(next);
            }
        }
    }

    @Test
    void over_ten_years_the_next_tick_is_after_the_last_in_every_zone() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (String zone : ZONES) {
            Timing.Cron timing = timing(random.nextInt(60) + " " + random.nextInt(4) + " * * *", zone);
            Instant last = START;
            int ticks = 0;
            for (Instant tick : timing.next(START, 3652)) {
                assertThat(tick).as("%s, seed %d", timing, seed).isAfter(last);
                assertThat(Duration.between(last, tick))
                        .as("%s at %s, seed %d", timing, tick, seed)
                        .isLessThanOrEqualTo(Duration.ofHours(26));
                last = tick;
                ticks++;
            }
            assertThat(ticks).isEqualTo(3652);
            // One a day: daylight saving neither eats nor adds a day.
            assertThat(last).isBetween(END.minus(Duration.ofDays(2)), END.plus(Duration.ofDays(2)));
        }
    }

    @Test
    void the_last_tick_up_to_a_time_is_found_without_counting() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 30; i++) {
            Timing.Cron timing = timing(random.nextBoolean() ? fixed(random) : rhythm(random), "Europe/Berlin");
            List<Instant> ticks = timing.next(START.plusSeconds(random.nextInt(100_000_000)), 100);
            int which = random.nextInt(ticks.size() - 1);
            Instant until = ticks.get(which).plusMillis(random.nextInt(2) * 999L);
            assertThat(timing.last(ticks.get(0), until))
                    .as("%s until %s, seed %d", timing, until, seed)
                    .isEqualTo(ticks.get(which));
        }
        Timing.Cron everySecond = timing("* * * * * *", "UTC");
        assertThat(everySecond.last(START, END.plusMillis(1))).isEqualTo(END);
    }

    @Test
    void several_expressions_in_one_are_refused() {
        for (String cron : new String[] {"1|2 * * * *", "* * * * /1|2 *", "1|2 2 +11 2 /1|2 +1"}) {
            assertThatThrownBy(() -> CronExpression.parse(cron))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(cron);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            61 * * * *     | minute "61"
            * 24 * * *     | hour "24"
            * * 0 * *      | day of month "0"
            * * * FOO *    | month "FOO"
            * * * * 8      | day of week "8"
            99 * * * * *   | second "99"
            5-1 * * * *    | minute "5-1"
            */0 * * * *    | minute "*/0"
            0 12 ? * *     | day of month "?"
            0 0 12 * * ?   | Write * for the ? of Quartz
            0 12 * * FRI#2 | day of week "FRI#2"
            +1 * * * *     | minute "+1"
            /5 * * * *     | minute "/5"
            * * *          | has 3 fields
            @fortnightly   | @daily
            @reboot        | @daily
            """)
    void a_wrong_expression_is_refused_and_its_field_named(String cron, String named) {
        assertThatThrownBy(() -> CronExpression.parse(cron))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(named)
                .hasMessageContaining(cron);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0 0 * * sun       | 0 0 * * 0
            0 0 * * 7         | 0 0 * * 0
            0 0 * * mon-FRI   | 0 0 * * 1-5
            0 0 * * FRI-SUN   | 0 0 * * 5,6,0
            0 0 1 jan,JUL *   | 0 0 1 1,7 *
            @weekly           | 0 0 * * 0
            @Hourly           | 0 * * * *
            @yearly           | 0 0 1 1 *
            @monthly          | 0 0 1 * *
            0 0 0 1 * *       | @monthly
            """)
    void names_numbers_and_nicknames_mean_the_same(String one, String other) {
        assertThat(timing(one, "UTC").next(START, 20))
                .isEqualTo(timing(other, "UTC").next(START, 20));
    }

    @Test
    void when_both_day_fields_are_given_either_will_do() {
        assertThat(timing("0 0 13 * FRI", "UTC").next(Instant.parse("2026-11-10T00:00:00Z"), 3))
                .containsExactly(
                        Instant.parse("2026-11-13T00:00:00Z"),
                        Instant.parse("2026-11-20T00:00:00Z"),
                        Instant.parse("2026-11-27T00:00:00Z"));
    }

    @Test
    void a_day_that_never_comes_has_no_tick_and_a_rare_one_has() {
        assertThat(timing("0 0 30 2 *", "Europe/Berlin").next(START)).isEmpty();
        assertThat(timing("* * 31 4,6,9,11 *", "Europe/Berlin").next(START)).isEmpty();
        assertThat(timing("0 0 29 2 *", "UTC").next(Instant.parse("2096-03-01T00:00:00Z")))
                .contains(Instant.parse("2104-02-29T00:00:00Z"));
    }

    private static Timing.Cron timing(String cron, String zone) {
        return Timing.Cron.of(cron, ZoneId.of(zone));
    }

    private static List<ZoneOffsetTransition> changes(ZoneId zone) {
        List<ZoneOffsetTransition> changes = new ArrayList<>();
        ZoneOffsetTransition change = zone.getRules().nextTransition(START);
        while (change != null && change.getInstant().isBefore(END)) {
            changes.add(change);
            change = zone.getRules().nextTransition(change.getInstant());
        }
        if (zone.equals(ZoneId.of("UTC"))) {
            assertThat(zone.getRules().getOffset(START)).isEqualTo(ZoneOffset.UTC);
        }
        return changes;
    }

    private static String fixed(Random random) {
        String minutes = random.nextBoolean()
                ? "" + random.nextInt(60)
                : random.nextInt(30) + ",30," + (31 + random.nextInt(29));
        String hours = random.nextBoolean() ? "0-5" : random.nextInt(2) + "," + (2 + random.nextInt(2)) + ",23";
        return minutes + " " + hours + " * * " + (random.nextInt(4) == 0 ? "SAT,SUN" : "*");
    }

    private static String rhythm(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> "*/" + (7 + random.nextInt(20)) + " * * * *";
            case 1 -> random.nextInt(60) + " */" + (1 + random.nextInt(3)) + " * * *";
            default -> "*/" + (5 + random.nextInt(20)) + " 0-3 * * *";
        };
    }
}
