package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.schedule.ScheduleRequest;
import io.couchjobs.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Shows and changes the schedules of recurring jobs. Thread-safe. */
final class Schedules {
    private static final int NEXT = 5;
    private static final Duration FRESH = Duration.ofSeconds(1);

    private final JobQueue queue;
    private final Cached<ObjectNode> cached = new Cached<>(FRESH, this::read);

    Schedules(JobQueue queue) {
        this.queue = queue;
    }

    ObjectNode json() {
        return cached.get().deepCopy().put("now", ServerTime.millis(queue));
    }

    ObjectNode change(ObjectNode body) {
        String name = body.path("name").asText();
        String action = body.path("action").asText();
        ObjectNode done = Call.JSON.createObjectNode();
        switch (action) {
            case "add" -> done.put("done", add(name, body));
            case "run" -> {
                Job job = queue.schedules().runNow(name);
                done.put("done", "made job " + job.id().id()).set("job", JobJson.name(job.id()));
            }
            case "enable" -> {
                queue.schedules().enable(name);
                done.put("done", "enabled");
            }
            case "disable" -> {
                queue.schedules().disable(name);
                done.put("done", "disabled");
            }
            default -> throw new Refusal(400, "there is no action " + action);
        }
        cached.forget();
        return done;
    }

    /** Adds a schedule with a cron expression or an interval in milliseconds. Does not replace a schedule of that name. */
    private String add(String name, ObjectNode body) {
        if (queue.schedules().get(name).isPresent()) {
            throw new Refusal(409, "there is a schedule " + name + " already; disable or remove it first");
        }
        JobRequest.Builder job = JobRequest.builder(
                        JobId.checkType(body.path("type").asText()))
                .data(NewJobs.data(body.path("data").asText()));
        ScheduleRequest.Builder request = Schedule.named(name).job(job.build());
        String zone = body.path("zone").asText();
        if (body.path("every").asLong() > 0) {
            request.every(Duration.ofMillis(body.path("every").asLong()));
        } else {
            request.cron(body.path("cron").asText());
            if (!zone.isEmpty()) {
                request.zone(zone);
            }
        }
        queue.schedules().put(request.build());
        return "added";
    }

    /**
     * Returns the last tick; empty before the first one. Until then, {@code last} is the time at which the schedule was created
     * or enabled.
     */
    private static Optional<Instant> lastTick(Schedule schedule) {
        return schedule.last()
                .filter(last -> schedule.next(last.minusMillis(1), 1).contains(last));
    }

    private ObjectNode read() {
        long now = ServerTime.millis(queue);
        ObjectNode json = Call.JSON.createObjectNode();
        ArrayNode schedules = json.putArray("schedules");
        for (Schedule schedule : queue.schedules().list()) {
            ObjectNode one = schedules
                    .addObject()
                    .put("name", schedule.name())
                    .put("type", schedule.type())
                    .put("enabled", schedule.isEnabled())
                    .put("missed", schedule.missed().json())
                    .put("overlap", schedule.overlap().json())
                    .put("last", lastTick(schedule).map(Instant::toEpochMilli).orElse(null));
            if (schedule.timing() instanceof Timing.Cron cron) {
                one.put("cron", cron.expression()).put("zone", cron.zone().getId());
            } else if (schedule.timing() instanceof Timing.Interval interval) {
                one.put("every", interval.every().toMillis());
            }
            ArrayNode next = one.putArray("next");
            if (schedule.isEnabled()) {
                schedule.next(Instant.ofEpochMilli(now), NEXT).forEach(tick -> next.add(tick.toEpochMilli()));
            }
            ArrayNode runs = one.putArray("runs");
            schedule.runs().stream().map(JobJson::name).forEach(runs::add);
        }
        ObjectNode malformed = json.putObject("malformed");
        queue.schedules().malformed().forEach(malformed::put);
        return json;
    }
}
