package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Output;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import io.couchjobs.dashboard.view.JobView;
import io.couchjobs.job.Job;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Collectors;

/** Writes schedules as a table or as JSON. Times in the table are those of the schedule's zone; in JSON they are in UTC. */
final class ScheduleText {
    private ScheduleText() {}

    static void show(Output output, Schedule schedule, Instant now) {
        output.table(() -> table(List.of(schedule), now, 1), () -> json(schedule, now, 1));
    }

    static Table table(List<Schedule> schedules, Instant now, int count) {
        Table table = new Table("NAME", "WHEN", "ZONE", "TYPE", "STATE", "NEXT");
        for (Schedule schedule : schedules) {
            table.row(
                    Cell.of(schedule.name()),
                    Cell.of(when(schedule)),
                    Cell.of(
                            schedule.timing() instanceof Timing.Cron cron
                                    ? cron.zone().getId()
                                    : "-"),
                    Cell.of(schedule.type()),
                    schedule.isEnabled() ? Cell.of("enabled") : Cell.of("disabled", Style.WARNING),
                    Cell.of(next(schedule, now, count)));
        }
        return table;
    }

    static ObjectNode json(Schedule schedule, Instant now, int count) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("name", schedule.name());
        Timing.Cron cron = schedule.timing() instanceof Timing.Cron timing ? timing : null;
        Timing.Interval interval = schedule.timing() instanceof Timing.Interval timing ? timing : null;
        json.put("cron", cron == null ? null : cron.expression());
        json.put("zone", cron == null ? null : cron.zone().getId());
        json.put("every", interval == null ? null : interval.every().toMillis());
        json.put("from", interval == null ? null : interval.from().toString());
        json.put("enabled", schedule.isEnabled());
        json.put("missed", schedule.missed().json());
        json.put("overlap", schedule.overlap().json());
        json.put("last", schedule.last().map(Instant::toString).orElse(null));
        schedule.runs().stream().map(JobView::of).forEach(json.putArray("runs")::add);
        ticks(schedule, now, count).stream().map(Instant::toString).forEach(json.putArray("next")::add);
        json.set("job", job(schedule.template()));
        return json;
    }

    private static ObjectNode job(Job template) {
        ObjectNode job = JsonNodeFactory.instance.objectNode().put("type", template.type());
        job.set("data", template.data());
        job.put("group", template.group());
        job.put("priority", template.priority());
        job.put(
                "maxRetries",
                template.maxRetries().isPresent() ? template.maxRetries().getAsInt() : null);
        job.put("class", template.jobClass().orElse(null));
        job.put("origin", template.origin().orElse(null));
        job.put("correlationId", template.correlationId().orElse(null));
        template.tags().forEach(job.putArray("tags")::add);
        return job;
    }

    private static String when(Schedule schedule) {
        return schedule.timing() instanceof Timing.Cron cron
                ? cron.expression()
                : "every " + Durations.format(distance(schedule));
    }

    private static Duration distance(Schedule schedule) {
        return schedule.timing() instanceof Timing.Interval interval ? interval.every() : Duration.ZERO;
    }

    private static List<Instant> ticks(Schedule schedule, Instant now, int count) {
        return schedule.isEnabled() ? schedule.next(now, count) : List.of();
    }

    private static String next(Schedule schedule, Instant now, int count) {
        ZoneId zone = schedule.timing() instanceof Timing.Cron cron ? cron.zone() : ZoneOffset.UTC;
        String all = ticks(schedule, now, count).stream()
                .map(tick -> tick.atZone(zone).toOffsetDateTime().toString())
                .collect(Collectors.joining(", "));
        return all.isEmpty() ? "-" : all;
    }
}
