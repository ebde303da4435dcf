package io.couchjobs.engine.worker;

import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.limit.Limits;
import io.couchjobs.engine.log.JobLogs;
import io.couchjobs.engine.settings.QueueParts;
import java.util.Objects;

/** The collaborators of a worker's runs. Immutable. */
record RunTools(
        QueueParts parts,
        WorkerOptions options,
        ProgressWriter progressWriter,
        TimeLimits timeLimits,
        Limits limits,
        JobLogs logs) {
    /** {@return a run for a claim; the run has not begun} */
    Run run(LeasedJob claim) {
        Handler<?> handler =
                Objects.requireNonNull(options.handlers().get(claim.id().type()));
        return new Run(claim, handler, this);
    }
}
