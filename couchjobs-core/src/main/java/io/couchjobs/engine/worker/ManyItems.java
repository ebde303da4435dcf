package io.couchjobs.engine.worker;

import io.couchjobs.job.HaltException;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobType;
import io.couchjobs.worker.ChunkHandler;
import io.couchjobs.worker.JobContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A call of a handler that takes many items at once. Used by one thread. */
final class ManyItems<T> {
    private final ChunkHandler<T> handler;
    private final ChunkItems chunk;
    private final JobId id;
    private final Map<Integer, ChunkHandler.Item<T>> byPlace = new LinkedHashMap<>();

    ManyItems(ChunkHandler<T> handler, ChunkItems chunk, JobId id) {
        this.id = id;
        this.handler = handler;
        this.chunk = chunk;
    }

    /** Adds an item. An item whose data cannot be bound to the type fails at once. */
    void add(int place, JobType<? extends T> type) {
        try {
            T data = type.bind(chunk.data(place));
            byPlace.put(place, new ChunkHandler.Item<>(id, data, chunk.index(place), chunk.attempt(place)));
        } catch (InvalidJobDataException doesNotFit) {
            chunk.failed(place, doesNotFit);
        }
    }

    /** Calls the handler. When the run is to stop, the ends that the handler has reported are kept. */
    void run(JobContext context, ItemTimeLimit timeLimit) throws Exception {
        if (byPlace.isEmpty()) {
            return;
        }
        timeLimit.begin();
        try {
            handler.work()
                    .run(
                            List.copyOf(byPlace.values()),
                            new ItemContext(context, timeLimit, OptionalLong.empty(), context.attempt()));
        } catch (Exception | Error thrown) {
            boolean stops = context.stopReason().isPresent()
                    || (thrown instanceof HaltException halt && halt.jobId().equals(context.id()));
            byPlace.forEach((place, item) -> {
                if (item.hasEnded() || !stops) {
                    end(place, item, timeLimit.problem(thrown));
                }
            });
            if (stops) {
                throw thrown;
            }
            return;
        } finally {
            timeLimit.end();
        }
        byPlace.forEach((place, item) -> end(place, item, null));
    }

    private void end(int place, ChunkHandler.Item<T> item, @Nullable Throwable ofAll) {
        Throwable problem = item.hasEnded() ? item.problem().orElse(null) : ofAll;
        if (problem == null) {
            succeeded(place, item);
        } else {
            chunk.failed(place, problem);
        }
    }

    private void succeeded(int place, ChunkHandler.Item<T> item) {
        try {
            chunk.succeeded(place, item.result());
        } catch (RuntimeException cannotBeStored) {
            chunk.failed(place, cannotBeStored);
        }
    }
}
