package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The states of the items of an array's chunk, in the field {@code array} of the chunk's document. The items themselves are
 * in the chunk's data, and never change. A chunk is a job like any other, so claims, leases, ends and resolution ignore
 * items. Thread-safe.
 */
public final class ItemStates {
    /** The field of a chunk's data that holds the items. */
    public static final String ITEMS = "items";

    private static final String ID = "id";
    private static final String FIRST = "first";
    private static final String LAST = "last";
    private static final String DIGEST = "digest";
    private static final String ASKED = "asked";
    private static final String STATES = "states";
    private static final String RESULTS = "results";
    private static final String ERRORS = "errors";
    private static final char OPEN = '.';
    private static final char SUCCEEDED = 's';
    private static final char RETRIED = 'r';
    private static final char FAILED = 'f';

    private final ObjectNode array;
    private final StringBuilder states;

    private ItemStates(ObjectNode array) {
        this.array = array;
        this.states = new StringBuilder(array.path(STATES).asText());
    }

    /** {@return the states of a chunk's items; empty for any other job} */
    public static Optional<ItemStates> of(Job job) {
        return areIn(job)
                ? Optional.of(new ItemStates(job.document().path(Field.ARRAY).deepCopy()))
                : Optional.empty();
    }

    /** {@return whether a job is a chunk} */
    public static boolean areIn(Job job) {
        JsonNode states = job.document().path(Field.ARRAY).path(STATES);
        return states.isTextual() && !states.textValue().isEmpty();
    }

    /**
     * Creates the field {@code array} of a new chunk.
     *
     * @param first the index in the array of the chunk's first item
     * @param isLast whether the chunk is the last one of the array
     */
    public static ObjectNode create(String arrayId, long first, int items, boolean isLast, String digest) {
        ObjectNode array = JsonNodeFactory.instance.objectNode();
        array.put(ID, arrayId).put(FIRST, first);
        if (isLast) {
            array.put(LAST, true);
        }
        return array.put(DIGEST, digest).put(STATES, String.valueOf(OPEN).repeat(items));
    }

    public String digest() {
        return array.path(DIGEST).asText();
    }

    /** {@return the index in the array of the chunk's first item} */
    public long first() {
        return array.path(FIRST).asLong();
    }

    /** {@return whether the chunk is the last one of the array} */
    public boolean isLast() {
        return array.path(LAST).asBoolean();
    }

    /** {@return how many items the chunk has} */
    public synchronized int size() {
        return states.length();
    }

    /** {@return whether an item is to run: it has not ended yet, or its last run failed and a retry is left} */
    public synchronized boolean isToRun(int item) {
        return states.charAt(item) == OPEN || states.charAt(item) == RETRIED;
    }

    /**
     * Begins a run. When all items have ended and another run was requested since, the items that failed for good are to
     * run again. The release of a chunk does not request another run.
     */
    public synchronized void begin(Job job) {
        long before = array.path(ASKED).asLong(asked(job));
        if (before != asked(job) && ended() == size()) {
            reopen();
        }
        array.put(ASKED, asked(job));
    }

    private void reopen() {
        for (int item = 0; item < states.length(); item++) {
            if (states.charAt(item) == FAILED) {
                states.setCharAt(item, RETRIED);
            }
        }
    }

    /** {@return when a run of the job was last requested, in ms; 0 when unknown} */
    private static long asked(Job job) {
        return Stream.of("created", "retried", "resubmitted")
                .flatMap(moment -> Optional.ofNullable(job.times().get(moment)).stream())
                .mapToLong(Instant::toEpochMilli)
                .max()
                .orElse(0);
    }

    /** {@return how many runs of an item have failed} */
    public synchronized int failures(int item) {
        return array.path(ERRORS)
                .path(Integer.toString(item))
                .path(Field.ATTEMPT)
                .asInt();
    }

    /** Records that an item has succeeded. */
    public synchronized void succeeded(int item, @Nullable JsonNode result) {
        states.setCharAt(item, SUCCEEDED);
        if (array.get(ERRORS) instanceof ObjectNode errors) {
            errors.remove(Integer.toString(item));
        }
        if (result != null) {
            array.withObjectProperty(RESULTS).set(Integer.toString(item), result);
        }
    }

    /**
     * Records that a run of an item has failed.
     *
     * @param isFinal whether the item is not retried
     */
    public synchronized void failed(int item, String message, boolean isFinal) {
        int failures = failures(item) + 1;
        states.setCharAt(item, isFinal ? FAILED : RETRIED);
        array.withObjectProperty(ERRORS)
                .putObject(Integer.toString(item))
                .put(Field.ATTEMPT, failures)
                .put(Field.MESSAGE, message);
    }

    /** {@return how many items have succeeded} */
    public int succeeded() {
        return count(SUCCEEDED);
    }

    /** {@return how many items have failed for good} */
    public int failed() {
        return count(FAILED);
    }

    /** {@return how many items have ended} */
    public int ended() {
        return succeeded() + failed();
    }

    private synchronized int count(char state) {
        return (int) states.chars().filter(one -> one == state).count();
    }

    /** {@return the last error of an item; empty when no run of it has failed, or it has succeeded since} */
    public synchronized Optional<String> error(int item) {
        return Optional.ofNullable(array.path(ERRORS)
                .path(Integer.toString(item))
                .path(Field.MESSAGE)
                .textValue());
    }

    /** {@return the result of an item; empty when it has none} */
    public synchronized Optional<JsonNode> result(int item) {
        return Optional.ofNullable(array.path(RESULTS).get(Integer.toString(item)));
    }

    /** {@return the status that a job like the item would have} */
    public synchronized JobStatus status(int item) {
        return switch (states.charAt(item)) {
            case SUCCEEDED -> JobStatus.SUCCESS;
            case RETRIED -> JobStatus.STUCK;
            case FAILED -> JobStatus.FAILED;
            default -> JobStatus.WAITING;
        };
    }

    /**
     * Copies the ends of items from the losing leaves to the winner. An item that has ended on any leaf has ended: no owner
     * undoes this, whichever claim counts. An item that has succeeded on any leaf has succeeded. A leaf with another creation
     * time is ignored: it is a chunk of an array that was removed and added again. A failure counts only for the run that was
     * last requested on the winner. When that run has begun on another leaf, it has begun on the winner, too.
     *
     * @return the winner with the ends of items on the losing leaves
     */
    static Job addTo(Job winner, List<Leaf> losers) {
        Optional<ItemStates> present = of(winner);
        if (present.isEmpty()) {
            return winner;
        }
        ItemStates items = present.get();
        List<ItemStates> others = losers.stream()
                .flatMap(leaf -> leaf.job().stream())
                .filter(job -> created(job).equals(created(winner)))
                .flatMap(job -> of(job).stream())
                .filter(other -> other.digest().equals(items.digest()) && other.size() == items.size())
                .toList();
        if (others.stream().anyMatch(other -> other.isOfRunOf(winner))) {
            items.begin(winner);
        }
        others.forEach(other -> items.take(other, other.isOfRunOf(winner)));
        return items.on(winner);
    }

    private static Optional<Instant> created(Job job) {
        return Optional.ofNullable(job.times().get("created"));
    }

    private boolean isOfRunOf(Job job) {
        return array.path(ASKED).asLong() == asked(job);
    }

    private synchronized void take(ItemStates other, boolean isOfSameRun) {
        for (int item = 0; item < states.length(); item++) {
            char theirs = other.states.charAt(item);
            if (theirs == SUCCEEDED && states.charAt(item) != SUCCEEDED) {
                succeeded(item, other.result(item).orElse(null));
            } else if (theirs == FAILED && isOfSameRun && isToRun(item)) {
                takeFailure(item, other);
            }
        }
    }

    private void takeFailure(int item, ItemStates other) {
        states.setCharAt(item, FAILED);
        String place = Integer.toString(item);
        array.withObjectProperty(ERRORS).set(place, other.array.path(ERRORS).path(place));
    }

    /** {@return the given job with these states} */
    public synchronized Job on(Job job) {
        ObjectNode present = array.deepCopy();
        present.put(STATES, states.toString());
        return job.with(Field.ARRAY, present);
    }
}
