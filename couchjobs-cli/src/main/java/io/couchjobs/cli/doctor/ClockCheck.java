package io.couchjobs.cli.doctor;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.Durations;
import java.time.Duration;

/** Whether this machine's clock and the server's agree. */
final class ClockCheck implements Check {
    private static final Duration MUCH = Duration.ofSeconds(5);

    @Override
    public String name() {
        return "clock";
    }

    @Override
    public Finding look(JobQueue queue) {
        queue.database().exists(); // any answer tells the server's time
        Duration skew = queue.database().server().clockSkew();
        if (skew.abs().compareTo(MUCH) <= 0) {
            return Finding.fine("this machine's clock and the server's agree");
        }
        return Finding.note(
                "the server's clock is " + Durations.format(skew.abs()) + (skew.isNegative() ? " behind" : " ahead of")
                        + " this machine's",
                "workers go by the server's and correct for it; times that others write into jobs are off",
                "set the clocks by NTP");
    }
}
