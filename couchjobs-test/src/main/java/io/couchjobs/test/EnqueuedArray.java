package io.couchjobs.test;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.JobArrays;
import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Assertions on an array that was added. Each call reads the array from the database again. Thread-safe. */
public final class EnqueuedArray {
    private static final int MOST_LISTED = 20;

    private final JobQueue queue;
    private final JobId id;

    EnqueuedArray(JobQueue queue, JobId id) {
        this.queue = queue;
        this.id = id;
    }

    /**
     * Checks how many items the array has.
     *
     * @param count the expected number
     * @return this
     */
    public EnqueuedArray size(long count) {
        require(state().items() == count, "expected " + count + " items");
        return this;
    }

    /**
     * Checks that the array has exactly these items, in this order.
     *
     * @param items the data of each item: a record, bean, map or JSON object
     * @return this
     */
    public EnqueuedArray withItems(List<?> items) {
        List<JsonNode> present = data();
        List<JsonNode> expected =
                items.stream().<JsonNode>map(EnqueuedJobs::json).toList();
        require(present.equals(expected), "expected the items " + expected + ", but it has " + present);
        return this;
    }

    /**
     * Checks how many items have a status.
     *
     * @param status the status, such as {@code SUCCESS}
     * @param count how many items have it
     * @return this
     */
    public EnqueuedArray withStatus(JobStatus status, long count) {
        require(
                items().filter(item -> item.status() == status).count() == count,
                "expected " + count + " items that are " + status.json());
        return this;
    }

    /** {@return the items, with their statuses, errors and results} */
    public Stream<JobArrays.Item> items() {
        return queue.arrays().items(id);
    }

    /** {@return the state of the array, such as the number of its items} */
    public JobArrays.State state() {
        return queue.arrays().get(id).orElseThrow(() -> new AssertionError("no array " + id + " was added"));
    }

    private List<JsonNode> data() {
        List<JsonNode> all = new ArrayList<>();
        queue.withData(queue.arrays().chunks(id)).map(Job::data).forEach(chunk -> chunk.path("items")
                .forEach(all::add));
        return all;
    }

    private void require(boolean holds, String problem) {
        if (!holds) {
            StringBuilder list = new StringBuilder();
            items().limit(MOST_LISTED).forEach(item -> list.append("\n  ").append(line(item)));
            throw new AssertionError(problem + "; array " + id + " has " + state().items() + ":" + list);
        }
    }

    private static String line(JobArrays.Item item) {
        return item.index() + " " + item.status().json() + (item.error() == null ? "" : ", " + item.error());
    }
}
