package io.couchjobs.dashboard.failures;

import io.couchjobs.job.JobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;

/** Counts the failures of one group. Not thread-safe. */
final class FailureCounter {
    private static final int HOURS = 24;

    private final Instant now;
    private final long[] hours = new long[HOURS];
    private long failed;
    private long stuck;
    private Instant first;
    private Failure last;

    FailureCounter(Failure one, Instant now) {
        this.now = now;
        this.first = one.at();
        this.last = one;
    }

    void add(Failure failure) {
        if (failure.status() == JobStatus.STUCK) {
            stuck++;
        } else {
            failed++;
        }
        Instant at = failure.at();
        first = at.isBefore(first) ? at : first;
        last = at.isAfter(last.at()) ? failure : last;
        long back = Math.max(0, Duration.between(at, now).toHours());
        if (back < HOURS) {
            hours[(int) (HOURS - 1 - back)]++;
        }
    }

    FailureGroup group() {
        return new FailureGroup(
                last.group(),
                last.id().type(),
                last.message(),
                failed,
                stuck,
                first,
                last.at(),
                last.id(),
                Arrays.stream(hours).boxed().toList());
    }
}
