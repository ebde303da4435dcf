package io.couchjobs.engine.worker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.StoredText;
import io.couchjobs.engine.lifecycle.ItemStates;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.JobData;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.SnoozeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The items of a chunk in one run: which items are to be run, how they end, and how their ends determine that of the run.
 * Thread-safe.
 */
final class ChunkItems {
    private static final int LONGEST_RESULT = 1_024;
    /**
     * A chunk's document holds the results and errors of all its items, and CouchDB refuses documents of more than 8 MB by
     * default.
     */
    private static final int MOST_OF_ALL = 4 * 1_024 * 1_024;

    private static final int BYTES_PER_CHARACTER = 3;

    private final ItemStates states;
    private final ObjectNode data;
    private final boolean isLastRetry;
    private int retried;
    private @Nullable Duration pause;

    /**
     * Creates the items of a run that begins.
     *
     * @param data the data of the chunk
     * @param isLastRetry whether no retry is left for an item that fails now
     */
    ChunkItems(ItemStates states, ObjectNode data, boolean isLastRetry) {
        this.states = states;
        this.data = data;
        this.isLastRetry = isLastRetry;
    }

    /** {@return the first items at or after a place that are to be run, up to the given number} */
    List<Integer> next(int from, int most) {
        return IntStream.range(from, states.size())
                .filter(states::isToRun)
                .limit(most)
                .boxed()
                .toList();
    }

    /** {@return the data of an item} */
    ObjectNode data(int place) {
        if (data.path(ItemStates.ITEMS).path(place) instanceof ObjectNode object) {
            return object;
        }
        throw new InvalidJobDataException("the item must be a JSON object");
    }

    /** {@return the index of an item in the array} */
    long index(int place) {
        return states.first() + place;
    }

    /** {@return the number of the present run of an item, from 1} */
    int attempt(int place) {
        return states.failures(place) + 1;
    }

    /**
     * Records that an item has succeeded.
     *
     * @throws PermanentJobException when its result is too large
     */
    void succeeded(int place, @Nullable Object result) {
        states.succeeded(place, json(result));
    }

    private @Nullable JsonNode json(@Nullable Object result) {
        if (result == null) {
            return null;
        }
        JsonNode json = JobData.tree(result);
        int length = json.toString().getBytes(StandardCharsets.UTF_8).length;
        int longest = Math.min(LONGEST_RESULT, MOST_OF_ALL / states.size());
        if (length > longest) {
            throw new PermanentJobException("the result of an item may have " + longest + " bytes, not " + length);
        }
        return json;
    }

    /**
     * Records that the run of an item has failed, or was postponed by a {@link SnoozeException}.
     *
     * @return whether the item has failed for good
     */
    boolean failed(int place, Throwable thrown) {
        if (thrown instanceof SnoozeException snooze) {
            putOff(snooze.delay());
            return false;
        }
        boolean isFinal =
                isLastRetry || thrown instanceof PermanentJobException || thrown instanceof InvalidJobDataException;
        String error = StoredText.of(Ending.describe(thrown), MOST_OF_ALL / BYTES_PER_CHARACTER / states.size());
        states.failed(place, error, isFinal);
        if (!isFinal) {
            retry();
        }
        return isFinal;
    }

    private synchronized void putOff(Duration delay) {
        pause = pause == null || delay.compareTo(pause) < 0 ? delay : pause;
    }

    private synchronized void retry() {
        retried++;
    }

    /** Throws the exception with which the run ends, unless all items have succeeded. */
    synchronized void endOfRun() {
        if (retried > 0) {
            throw new ItemsFailedException(retried + " of " + states.size() + " items failed and are retried");
        }
        if (pause != null) {
            throw new SnoozeException(pause);
        }
        if (states.failed() > 0) {
            throw new PermanentJobException(states.failed() + " of " + states.size() + " items failed");
        }
    }

    /** The failure of a run whose items record their own errors. */
    private static final class ItemsFailedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        ItemsFailedException(String message) {
            super(message, null, false, false);
        }
    }
}
