package io.couchjobs.simulation;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.schedule.QueueSchedules;
import io.couchjobs.job.JobRequest;
import io.couchjobs.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Has a schedule make jobs, from the beginning until some time after all is well again. */
final class ScheduleActor {
    private static final Duration EVERY = Duration.ofSeconds(8);
    /** As many pass while things go wrong, and after that. */
    private static final int FEWEST_TICKS = 4;

    private final Client client;
    private final World world;
    private final QueueSchedules schedules;
    /** When it was told that the schedule is stored. */
    private Instant since = Instant.MAX;

    private boolean done;

    ScheduleActor(Client client, World world) {
        this.client = client;
        this.world = world;
        this.schedules = new QueueSchedules(client.parts(), request -> {});
    }

    void start() {
        client.process().play("schedule", this::work);
    }

    /** {@return whether it makes no jobs any more} */
    boolean isDone() {
        return done;
    }

    /**
     * Every tick has its job, however often its makers died. A schedule that was withdrawn, as nobody confirmed it, may have had some
     * ticks before.
     */
    List<String> violations(List<Instant> all, String present) {
        List<String> violations = new ArrayList<>();
        List<Instant> ticks = all.stream().filter(tick -> tick.isAfter(since)).toList();
        if (ticks.size() < FEWEST_TICKS) {
            violations.add("the schedule stood still: " + ticks + ", " + present);
        }
        for (int i = 1; i < ticks.size(); i++) {
            if (!ticks.get(i - 1).plus(EVERY).equals(ticks.get(i))) {
                violations.add("a tick was lost between " + ticks.get(i - 1) + " and " + ticks.get(i));
            }
        }
        return violations;
    }

    private void work() {
        put(true);
        since = client.process().instant();
        while (world.isTroubled()) {
            pause(Duration.ofSeconds(1));
        }
        pause(EVERY.multipliedBy(3));
        put(false);
        done = true;
    }

    private void put(boolean enabled) {
        while (true) {
            try {
                schedules.put(Schedule.named("often")
                        .every(EVERY)
                        .job(JobRequest.of(World.TYPE, Map.of()))
                        .missed(Schedule.MissedPolicy.ALL)
                        .overlap(Schedule.OverlapPolicy.ALLOW)
                        .enabled(enabled)
                        .build());
                world.journal().note(client.process(), enabled ? "starts the schedule" : "ends the schedule");
                return;
            } catch (CouchJobsException away) {
                pause(Duration.ofSeconds(1));
            }
        }
    }

    private void pause(Duration duration) {
        client.process().pause(duration);
    }
}
