package io.couchjobs.engine.worker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.claim.Note;
import io.couchjobs.engine.lifecycle.ItemStates;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobData;
import io.couchjobs.job.Progress;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.SnoozeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A run of a chunk of an array: calls the handler of its type for each item that has not ended, one after the other. How they ended
 * is stored at most once a second, and with the end of the run. Used by one thread.
 */
final class ChunkRun<T> implements JobHandler<ObjectNode> {
    /** A chunk's document has the results of all its items. */
    private static final int LONGEST_RESULT = 1_024;

    private final Handler<T> handler;
    private final ItemStates items;
    private final Consumer<Note> teller;
    private @Nullable Duration pause;

    /** The teller has a note stored soon. */
    ChunkRun(Handler<T> handler, ItemStates items, Consumer<Note> teller) {
        this.handler = handler;
        this.items = items;
        this.teller = teller;
    }

    @Override
    public @Nullable Object handle(ObjectNode data, JobContext context) throws Exception {
        if (items.ended() == items.size() && context.attempt() == 1) {
            items.reopen();
        }
        try {
            for (int item = 0; item < items.size(); item++) {
                if (items.isToRun(item)) {
                    handle(item, data.path(ItemStates.ITEMS).path(item), context);
                    teller.accept(new States());
                }
            }
        } finally {
            teller.accept(new States()); // a write of somebody else may have taken the place of what was told before
        }
        endOfRun();
        return null;
    }

    /** Whatever an item throws ends that item alone, unless the run is to stop. */
    private void handle(int item, JsonNode data, JobContext context) throws Exception {
        if (context.stopReason().isPresent()) {
            throw new InterruptedException("stopped between two items");
        }
        JobContext itemContext = new ItemContext(context, items.first() + item, items.failures(item) + 1);
        Attempt<T> attempt;
        try {
            attempt = Attempt.of(handler, object(data), itemContext);
        } catch (InvalidJobDataException doesNotFit) {
            items.failed(item, Ending.describe(doesNotFit), true);
            return;
        }
        try {
            items.succeeded(item, result(attempt.run(List.of(), context::stopReason)));
        } catch (Exception | Error thrown) {
            if (context.stopReason().isPresent() || thrown instanceof HaltException) {
                throw thrown;
            }
            failed(item, attempt, thrown, context.isLastRetry());
        }
        Thread.interrupted(); // an item that was interrupted by itself leaves nothing to the next one
    }

    private static ObjectNode object(JsonNode data) {
        if (data instanceof ObjectNode object) {
            return object;
        }
        throw new InvalidJobDataException("the item must be a JSON object");
    }

    private static @Nullable JsonNode result(@Nullable Object result) {
        if (result == null) {
            return null;
        }
        JsonNode json = JobData.tree(result);
        int length = json.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > LONGEST_RESULT) {
            throw new PermanentJobException(
                    "the result of an item may have " + LONGEST_RESULT + " bytes, not " + length);
        }
        return json;
    }

    private void failed(int item, Attempt<T> attempt, Throwable thrown, boolean isLast) {
        if (thrown instanceof SnoozeException snooze) {
            pause = pause == null || snooze.delay().compareTo(pause) < 0 ? snooze.delay() : pause;
            return;
        }
        boolean isFinal =
                isLast || thrown instanceof PermanentJobException || thrown instanceof InvalidJobDataException;
        items.failed(item, Ending.describe(thrown), isFinal);
        if (isFinal) {
            attempt.exhausted(thrown);
        }
    }

    private void endOfRun() {
        if (items.retried() > 0) {
            throw new ItemsFailedException(items.retried() + " of " + items.size() + " items failed and are retried");
        }
        if (pause != null) {
            throw new SnoozeException(pause);
        }
        if (items.failed() > 0) {
            throw new PermanentJobException(items.failed() + " of " + items.size() + " items failed");
        }
    }

    /** The run has failed, and what happened to each item is told elsewhere. */
    private static final class ItemsFailedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        ItemsFailedException(String message) {
            super(message, null, false, false);
        }
    }

    /** The items as they are when it is written. */
    private final class States implements Note {
        @Override
        public Progress progress() {
            int ended = items.ended();
            return new Progress(100 * ended / items.size(), ended + " of " + items.size() + " items");
        }

        @Override
        public Job on(Job job) {
            return items.on(job);
        }
    }
}
