package io.couchjobs.dashboard.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import java.util.List;

/** Checks for scheduled times in seconds instead of milliseconds. */
final class TimeCheck extends Check {
    private static final int MOST_NAMED = 5;

    TimeCheck() {
        super("times");
    }

    @Override
    public Problem look(JobQueue queue) {
        List<String> seconds = queue.operations().timesInSeconds();
        if (seconds.isEmpty()) {
            return fine("every pending job has its scheduledTime in milliseconds");
        }
        String named = String.join(", ", seconds.subList(0, Math.min(MOST_NAMED, seconds.size())));
        return note(
                "pending jobs have a scheduledTime in seconds: " + named + (seconds.size() > MOST_NAMED ? ", ..." : ""),
                "a number below 100,000,000,000 is read as seconds, so they run at the time that was meant",
                "nothing need be done; programs that write documents had better write milliseconds");
    }
}
