package io.couchjobs.dashboard.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.dashboard.view.DurationText;
import java.time.Duration;

/** Checks whether this machine's clock and the server's clock agree. */
final class ClockCheck extends Check {
    private static final Duration MUCH = Duration.ofSeconds(5);

    ClockCheck() {
        super("clock");
    }

    @Override
    public Problem look(JobQueue queue) {
        queue.database().exists(); // any answer tells the server's time
        Duration skew = queue.database().server().clockSkew();
        if (skew.abs().compareTo(MUCH) <= 0) {
            return fine("this machine's clock and the server's agree");
        }
        return note(
                "the server's clock is " + DurationText.of(skew.abs()) + (skew.isNegative() ? " behind" : " ahead of")
                        + " this machine's",
                "workers go by the server's and correct for it; times that others write into jobs are off",
                "set the clocks by NTP");
    }
}
