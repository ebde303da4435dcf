package io.couchjobs.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;

/** The ticks of a simple five-field expression, found by looking at every minute: slow, and nothing to get wrong. */
final class BruteForce {
    private BruteForce() {}

    static List<Instant> ticks(String cron, ZoneId zone, Instant middle, Duration around) {
        String[] fields = cron.split(" ");
        boolean rhythm = fields[0].startsWith("*") || fields[1].startsWith("*");
        List<Instant> ticks = new ArrayList<>();
        for (Instant t = middle.minus(around); t.isBefore(middle.plus(around)); t = t.plusSeconds(60)) {
            if (rhythm ? matches(fields, local(t, zone)) : isNamed(fields, t, zone)) {
                ticks.add(t);
            }
        }
        return ticks;
    }

    /** A clock shows a named time for the first time, or has just been put over one. */
    private static boolean isNamed(String[] fields, Instant t, ZoneId zone) {
        LocalDateTime time = local(t, zone);
        ZoneOffsetTransition change = zone.getRules().getTransition(time);
        boolean again = change != null && change.isOverlap() && !t.isBefore(change.getInstant());
        return (matches(fields, time) && !again) || isPutOver(fields, t, zone);
    }

    private static boolean isPutOver(String[] fields, Instant t, ZoneId zone) {
        LocalDateTime skipped = local(t.minusSeconds(60), zone).plusMinutes(1);
        boolean found = false;
        for (; skipped.isBefore(local(t, zone)); skipped = skipped.plusMinutes(1)) {
            found |= matches(fields, skipped);
        }
        return found;
    }

    private static boolean matches(String[] fields, LocalDateTime time) {
        int weekday = time.getDayOfWeek().getValue() % 7;
        return fits(fields[0], time.getMinute())
                && fits(fields[1], time.getHour())
                && fits(fields[4].replace("SAT", "6").replace("SUN", "0"), weekday);
    }

    private static boolean fits(String field, int value) {
        boolean fits = false;
        for (String part : field.split(",")) {
            if (part.startsWith("*/")) {
                fits |= value % Integer.parseInt(part.substring(2)) == 0;
            } else if (part.contains("-")) {
                String[] ends = part.split("-");
                fits |= value >= Integer.parseInt(ends[0]) && value <= Integer.parseInt(ends[1]);
            } else {
                fits |= part.equals("*") || value == Integer.parseInt(part);
            }
        }
        return fits;
    }

    private static LocalDateTime local(Instant t, ZoneId zone) {
        return LocalDateTime.ofInstant(t, zone);
    }
}
