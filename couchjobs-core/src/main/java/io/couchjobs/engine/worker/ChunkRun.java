package io.couchjobs.engine.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.claim.Note;
import io.couchjobs.engine.lifecycle.ItemStates;
import io.couchjobs.engine.limit.Limits;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobType;
import io.couchjobs.job.Progress;
import io.couchjobs.worker.ChunkHandler;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A run of a chunk of an array: calls the handler of its type for each item that has not ended, one after the other, or for
 * many at once. The ends of items are stored at most once a second, and with the end of the run. Used by one thread.
 */
final class ChunkRun<T> implements JobHandler<ObjectNode> {
    private final Handler<T> handler;
    private final ItemStates states;
    private final Consumer<Note> teller;
    private final Limits limits;
    private final TimeLimits timeLimits;

    /** Creates a run. The teller stores a note soon. */
    ChunkRun(Handler<T> handler, ItemStates states, Consumer<Note> teller, Limits limits, TimeLimits timeLimits) {
        this.handler = handler;
        this.states = states;
        this.teller = teller;
        this.limits = limits;
        this.timeLimits = timeLimits;
    }

    @Override
    public @Nullable Object handle(ObjectNode data, JobContext context) throws Exception {
        states.begin(context.job());
        ChunkItems items = new ChunkItems(states, data, context.isLastRetry());
        JobHandler<? super T> made = handler.factory().get();
        int most = made instanceof ChunkHandler<? super T> many ? many.most() : 1;
        ItemTimeLimit timeLimit = new ItemTimeLimit(timeLimits);
        try {
            List<Integer> next = items.next(0, most);
            int counted = 1;
            while (!next.isEmpty()) {
                requireGoesOn(context);
                next = next.subList(0, limits.awaitStarts(context.id().type(), next.size(), counted));
                counted = 0;
                if (made instanceof ChunkHandler<? super T> many) {
                    run(many, handler.type(), next, items, timeLimit, context);
                } else {
                    run(next.get(0), items, timeLimit, context);
                }
                Thread.interrupted(); // an interrupt of one item must not affect the next item
                teller.accept(new States());
                next = items.next(next.get(next.size() - 1) + 1, most);
            }
        } finally {
            teller.accept(new States()); // another process may have overwritten the states that were stored before
        }
        items.endOfRun();
        return null;
    }

    private static void requireGoesOn(JobContext context) throws InterruptedException {
        if (context.stopReason().isPresent()) {
            throw new InterruptedException("stopped between two items");
        }
    }

    private static <S> void run(
            ChunkHandler<S> many,
            JobType<? extends S> type,
            List<Integer> places,
            ChunkItems items,
            ItemTimeLimit timeLimit,
            JobContext context)
            throws Exception {
        ManyItems<S> call = new ManyItems<>(many, items, context.id());
        places.forEach(place -> call.add(place, type));
        call.run(context, timeLimit);
    }

    /** Runs one item. An exception of an item ends only that item, unless the run is to stop. */
    private void run(int place, ChunkItems items, ItemTimeLimit timeLimit, JobContext context) throws Exception {
        JobContext itemContext =
                new ItemContext(context, timeLimit, OptionalLong.of(items.index(place)), items.attempt(place));
        Attempt<T> attempt;
        try {
            attempt = Attempt.of(handler, items.data(place), itemContext);
        } catch (InvalidJobDataException doesNotFit) {
            items.failed(place, doesNotFit);
            return;
        }
        timeLimit.begin();
        try {
            items.succeeded(place, attempt.run(List.of(), itemContext::stopReason));
        } catch (Exception | Error thrown) {
            timeLimit.end();
            if (context.stopReason().isPresent()
                    || (thrown instanceof HaltException halt && halt.jobId().equals(context.id()))) {
                throw thrown;
            }
            if (items.failed(place, timeLimit.problem(thrown))) {
                attempt.exhausted(thrown);
            }
        } finally {
            timeLimit.end();
        }
    }

    /** The states of the items at the time of the write. */
    private final class States implements Note {
        @Override
        public Progress progress() {
            int ended = states.ended();
            return new Progress(100 * ended / states.size(), ended + " of " + states.size() + " items");
        }

        @Override
        public Job on(Job job) {
            return states.on(job);
        }

        /** The end of a chunk needs the ends of its items. */
        @Override
        public boolean mayBeLeftOut() {
            return false;
        }
    }
}
