package io.couchjobs.engine.history;

import io.couchjobs.engine.document.DocIds;
import io.couchjobs.job.Site;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** The ids of the documents of a site's history: of days, of hours, and of workers. Days and hours are in UTC. */
record HistoryIds(Site site) {
    static final String WORKERS = DocIds.STATS + "worker:";

    private static final DateTimeFormatter HOUR =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH").withZone(ZoneOffset.UTC);

    String hour(Instant time) {
        return DocIds.STATS + HOUR.format(time) + site.suffix();
    }

    String day(Instant time) {
        return DocIds.STATS + DateTimeFormatter.ISO_LOCAL_DATE.format(time.atOffset(ZoneOffset.UTC)) + site.suffix();
    }

    static String worker(String id) {
        return WORKERS + id;
    }

    /** {@return the start of the hour whose document of this site has this id; empty for other ids} */
    Optional<Instant> hourOf(String docId) {
        return middle(docId).flatMap(HistoryIds::hour);
    }

    /** {@return the start of the day whose document of this site has this id; empty for other ids} */
    Optional<Instant> dayOf(String docId) {
        return middle(docId).flatMap(HistoryIds::date);
    }

    static Instant startOfHour(Instant time) {
        return time.truncatedTo(ChronoUnit.HOURS);
    }

    static Instant startOfDay(Instant time) {
        return time.truncatedTo(ChronoUnit.DAYS);
    }

    static int hourOfDay(Instant time) {
        return time.atOffset(ZoneOffset.UTC).getHour();
    }

    static int minuteOfHour(Instant time) {
        return time.atOffset(ZoneOffset.UTC).getMinute();
    }

    private Optional<String> middle(String docId) {
        int end = docId.length() - site.suffix().length();
        boolean isOurs =
                docId.startsWith(DocIds.STATS) && docId.endsWith(site.suffix()) && end >= DocIds.STATS.length();
        return isOurs ? Optional.of(docId.substring(DocIds.STATS.length(), end)) : Optional.empty();
    }

    private static Optional<Instant> hour(String text) {
        try {
            return Optional.of(LocalDateTime.parse(text, HOUR).toInstant(ZoneOffset.UTC));
        } catch (DateTimeParseException another) {
            return Optional.empty();
        }
    }

    private static Optional<Instant> date(String text) {
        try {
            return Optional.of(LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC));
        } catch (DateTimeParseException another) {
            return Optional.empty();
        }
    }
}
