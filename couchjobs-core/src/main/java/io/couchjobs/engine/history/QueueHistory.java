package io.couchjobs.engine.history;

import io.couchjobs.admin.History;
import io.couchjobs.engine.settings.QueueParts;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The history of a queue. Thread-safe. */
public final class QueueHistory implements History {
    private static final int MOST_POINTS = 10_000;
    private static final int LONGEST_MARK = 200;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final HistoryStore store;
    private final InstantSource clock;

    /** Creates the history of a queue. Does no I/O. */
    public QueueHistory(QueueParts parts) {
        this.store = new HistoryStore(parts.store());
        this.clock = parts.clock();
    }

    @Override
    public Chart read(Instant from, Instant to, Duration step) {
        checkStep(step);
        Instant start = floor(from, step);
        long points =
                start.isBefore(to) ? Duration.between(start, to.minusNanos(1)).dividedBy(step) + 1 : 0;
        if (points > MOST_POINTS) {
            throw new IllegalArgumentException(
                    points + " points are too many, at most " + MOST_POINTS + " can be read: take a longer step");
        }
        ChartBuilder chart = new ChartBuilder(start, step, (int) points);
        // Read before the hours: if a bucket is collected in between, its hour says that it has the bucket.
        List<Bucket> buckets = store.buckets();
        if (step.compareTo(HOUR) < 0) {
            addMinutes(hoursBetween(start, to), buckets, chart::add);
        } else {
            addHours(start, to, buckets, chart::add);
        }
        return chart.build();
    }

    private static void checkStep(Duration step) {
        Duration whole =
                step.compareTo(HOUR) < 0 ? Duration.ofMinutes(step.toMinutes()) : Duration.ofHours(step.toHours());
        if (step.compareTo(MINUTE) < 0 || !step.equals(whole)) {
            throw new IllegalArgumentException("a step must be a whole number of minutes, or of hours: " + step);
        }
    }

    private void addMinutes(Collection<Instant> hours, List<Bucket> buckets, BiConsumer<Instant, Sums> chart) {
        Map<Instant, HourDocument> documents = store.hours(hours);
        documents.forEach((hour, document) ->
                document.minutes(hour).forEach(minute -> chart.accept(minute, document.minute(minute))));
        addUncollected(hours, documents, buckets, chart);
    }

    /** Adds numbers by hour. An hour that is not summed up yet is read minute by minute. */
    private void addHours(Instant start, Instant to, List<Bucket> buckets, BiConsumer<Instant, Sums> chart) {
        Map<Instant, DayDocument> days = store.days(daysBetween(start, to));
        days.forEach((day, document) -> hoursOf(day)
                .filter(hour -> !hour.isBefore(start) && hour.isBefore(to))
                .forEach(hour -> document.hour(hour).ifPresent(sums -> chart.accept(hour, sums))));
        List<Instant> open = hoursBetween(start, to).stream()
                .filter(hour -> !isSummedUp(hour, days))
                .toList();
        Map<Instant, HourDocument> documents = store.hours(open);
        documents.forEach((hour, document) -> chart.accept(hour, document.total()));
        addUncollected(open, documents, buckets, chart);
    }

    private static void addUncollected(
            Collection<Instant> hours,
            Map<Instant, HourDocument> documents,
            List<Bucket> buckets,
            BiConsumer<Instant, Sums> chart) {
        for (Bucket bucket : buckets) {
            Instant hour = HistoryIds.startOfHour(bucket.minute());
            boolean isTaken = documents.getOrDefault(hour, HourDocument.empty()).hasSeen(bucket);
            if (hours.contains(hour) && !isTaken) {
                chart.accept(bucket.minute(), bucket.sums());
            }
        }
    }

    private static boolean isSummedUp(Instant hour, Map<Instant, DayDocument> days) {
        return days.getOrDefault(HistoryIds.startOfDay(hour), DayDocument.empty())
                .hour(hour)
                .isPresent();
    }

    /** Returns the hours that may have a document: older documents have been deleted. */
    private List<Instant> hoursBetween(Instant from, Instant to) {
        Instant now = clock.instant();
        Instant earliest = latest(from, now.minus(HistoryStore.KEEP_HOURS).minus(HOUR));
        Instant last = to.isBefore(now.plus(HOUR)) ? to : now.plus(HOUR);
        return starts(HistoryIds.startOfHour(earliest), last, hour -> hour.plus(HOUR));
    }

    private List<Instant> daysBetween(Instant from, Instant to) {
        Instant now = clock.instant();
        Instant earliest = latest(from, now.minus(HistoryStore.KEEP_DAYS));
        Instant last = to.isBefore(now.plus(HOUR)) ? to : now.plus(HOUR);
        return starts(HistoryIds.startOfDay(earliest), last, day -> day.plus(1, ChronoUnit.DAYS));
    }

    private static Stream<Instant> hoursOf(Instant day) {
        return starts(day, day.plus(1, ChronoUnit.DAYS), hour -> hour.plus(HOUR)).stream();
    }

    private static List<Instant> starts(Instant first, Instant end, UnaryOperator<Instant> next) {
        return Stream.iterate(first, start -> start.isBefore(end), next).toList();
    }

    private static Instant latest(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private static Instant floor(Instant time, Duration step) {
        long seconds = Math.floorDiv(time.getEpochSecond(), step.toSeconds()) * step.toSeconds();
        return Instant.ofEpochSecond(Math.max(Instant.MIN.getEpochSecond(), seconds));
    }

    @Override
    public Mark mark(String text) {
        if (text.isBlank() || text.length() > LONGEST_MARK) {
            throw new IllegalArgumentException(
                    "the text of a mark must have 1 to " + LONGEST_MARK + " characters: \"" + text + "\"");
        }
        Mark mark = new Mark(clock.instant(), text);
        store.mark(mark);
        return mark;
    }

    @Override
    public List<Mark> marks(Instant from, Instant to) {
        return store.days(daysBetween(from, to)).values().stream()
                .flatMap(day -> day.marks().stream())
                .filter(mark -> !mark.at().isBefore(from) && mark.at().isBefore(to))
                .sorted(Comparator.comparing(Mark::at))
                .toList();
    }
}
