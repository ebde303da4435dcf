package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.failures.Failures;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select failures. */
final class FailureOptions {
    @Option(names = "--type", paramLabel = "T", description = "Only jobs of this type.")
    private @Nullable String type;

    @Option(
            names = "--since",
            paramLabel = "DURATION",
            description = "Only jobs that have failed since then: 30m, 12h, 7d.")
    private @Nullable Duration since;

    void check() {
        Optional.ofNullable(type).ifPresent(JobId::checkType);
    }

    Failures failures(JobQueue queue) {
        Instant from = since == null ? Instant.MIN : ServerTime.of(queue).minus(since);
        return new Failures(queue, Optional.ofNullable(type), from);
    }

    /** {@return whether older failures are left out} */
    boolean areRecentOnly() {
        return since != null;
    }

    /** {@return the failures, including those before {@code --since}} */
    Failures ofAllTime(JobQueue queue) {
        return new Failures(queue, Optional.ofNullable(type), Instant.MIN);
    }
}
