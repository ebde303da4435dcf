package io.couchjobs.engine.worker;

import io.couchjobs.engine.claim.Note;
import io.couchjobs.engine.lifecycle.ItemStates;
import io.couchjobs.engine.limit.Limits;
import io.couchjobs.job.JobType;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A handler as a worker knows it: how to make it, and what to bind the data to. */
public record Handler<T>(JobType<T> type, Supplier<? extends JobHandler<? super T>> factory) {
    /** An attempt of a job, or of a chunk of an array; the teller has a note stored soon, and limits are kept by its items. */
    Attempt<?> attempt(JobContext context, Consumer<Note> teller, Limits limits, TimeLimits timeLimits) {
        return ItemStates.of(context.job())
                .<Attempt<?>>map(items -> Attempt.of(new ChunkRun<>(this, items, teller, limits, timeLimits), context))
                .orElseGet(() -> Attempt.of(this, context));
    }
}
