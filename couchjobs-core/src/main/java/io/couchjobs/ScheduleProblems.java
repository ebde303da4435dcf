package io.couchjobs;

import io.couchjobs.engine.schedule.Due;
import io.couchjobs.engine.schedule.QueueSchedules;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.schedule.Schedule;
import java.time.Instant;
import java.util.List;

/**
 * The problems of a queue's schedules at one moment.
 *
 * @param parts the parts of the queue
 * @param now the server's time
 */
record ScheduleProblems(QueueParts parts, Instant now) {
    /** Returns the problems, ordered by the name of the schedule. */
    List<Problem> list() {
        return new QueueSchedules(parts, request -> {})
                .list().stream()
                        .filter(schedule ->
                                parts.store().site().owns(schedule.site().orElse(null)))
                        .filter(schedule -> Due.isAhead(schedule, now))
                        .map(ScheduleProblems::ahead)
                        .toList();
    }

    private static Problem ahead(Schedule schedule) {
        String name = schedule.name();
        return new Problem(
                "schedule " + name,
                Problem.Level.PROBLEM,
                "its ticks are noted as dealt with until " + schedule.last().orElseThrow()
                        + ": the server's clock was ahead",
                "it makes no jobs until then",
                "let it go on from now: couchjobs cron disable " + name + ", then couchjobs cron enable " + name);
    }
}
