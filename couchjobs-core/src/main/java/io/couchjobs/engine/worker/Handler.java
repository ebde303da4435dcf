package io.couchjobs.engine.worker;

import io.couchjobs.engine.claim.Note;
import io.couchjobs.engine.lifecycle.ItemStates;
import io.couchjobs.engine.limit.Limits;
import io.couchjobs.job.JobType;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A handler of a worker: the factory of its instances, and the type to which the data is bound. */
public record Handler<T>(JobType<T> type, Supplier<? extends JobHandler<? super T>> factory) {
    /** {@return an attempt of a job, or of a chunk of an array; the teller stores a note soon, and the items respect the limits} */
    Attempt<?> attempt(JobContext context, Consumer<Note> teller, Limits limits, TimeLimits timeLimits) {
        return ItemStates.of(context.job())
                .<Attempt<?>>map(items -> Attempt.of(new ChunkRun<>(this, items, teller, limits, timeLimits), context))
                .orElseGet(() -> Attempt.of(this, context));
    }
}
