package io.couchjobs.engine.worker;

import io.couchjobs.job.JobType;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import java.util.function.Supplier;

/** A handler as a worker knows it: how to make it, and what to bind the data to. */
public record Handler<T>(JobType<T> type, Supplier<? extends JobHandler<? super T>> factory) {
    Attempt<T> attempt(JobContext context) {
        return Attempt.of(this, context);
    }
}
