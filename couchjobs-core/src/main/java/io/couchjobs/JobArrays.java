package io.couchjobs;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.engine.Engine;
import io.couchjobs.engine.create.AddRules;
import io.couchjobs.engine.create.ArrayChunks;
import io.couchjobs.engine.create.ArrayCreator;
import io.couchjobs.engine.lifecycle.ItemStates;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.job.NotFoundException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Job arrays: many small items of one type, stored in few documents. The {@link io.couchjobs.worker.JobHandler} of the type runs
 * each item. Each item is retried separately and has its own outcome, error and result. Thread-safe. {@link JobQueue} lists the
 * exceptions that all methods throw.
 *
 * <p>An array is stored as chunks of up to 500 items. A chunk is a job. Its id is the array's id, a colon and a number of six
 * digits. Every operation on jobs also works on chunks. The items of one chunk run one after the other. Several chunks can run at
 * the same time, even in several processes. Source: the array jobs of Slurm and AWS Batch.
 */
public final class JobArrays {
    private final Engine engine;
    private final AddRules rules;
    private final ArrayCreator creator;

    JobArrays(Engine engine, AddRules rules) {
        this.engine = engine;
        this.rules = rules;
        this.creator = new ArrayCreator(
                engine.parts().store(), engine.creator(), engine.parts().clock());
    }

    /**
     * The progress of an array. Counts only the chunks that still exist: chunks that retention has deleted have ended and are
     * left out. Immutable and thread-safe.
     *
     * @param chunks the number of jobs that store the array
     * @param items the number of items in these jobs
     * @param succeeded the number of items that have succeeded
     * @param failed the number of items that have failed permanently
     * @param running the number of items that are running now
     * @param isComplete whether all chunks have been added; false when the process that added the array died before the last
     *     chunk. True when retention has deleted the chunk after the last existing one
     */
    public record State(int chunks, long items, long succeeded, long failed, int running, boolean isComplete) {
        /** {@return whether all items have ended, including those of deleted chunks} */
        public boolean isFinished() {
            return isComplete && waiting() == 0 && running == 0;
        }

        /** {@return the number of items that still have to run} */
        public long waiting() {
            return items - succeeded - failed - running;
        }

        private static State of(Job job, ItemStates chunk) {
            boolean isRunning = job.status() == JobStatus.RUNNING && chunk.ended() < chunk.size();
            return new State(1, chunk.size(), chunk.succeeded(), chunk.failed(), isRunning ? 1 : 0, chunk.isLast());
        }

        private State complete() {
            return new State(chunks, items, succeeded, failed, running, true);
        }

        private State and(State other) {
            return new State(
                    chunks + other.chunks,
                    items + other.items,
                    succeeded + other.succeeded,
                    failed + other.failed,
                    running + other.running,
                    isComplete || other.isComplete);
        }
    }

    /**
     * An item of an array. Immutable and thread-safe.
     *
     * @param index the index of the item in the array, starting at 0
     * @param status {@code SUCCESS}; {@code FAILED} when the item failed permanently; {@code STUCK} when its last run failed and
     *     it will be retried; {@code WAITING} when no run of it has ended yet
     * @param result the result of the handler, or null
     * @param error why the last run failed, or null
     */
    public record Item(
            long index,
            JobStatus status,
            @Nullable JsonNode result,
            @Nullable String error) {}

    /**
     * Adds an array that is due immediately.
     *
     * @param type the type
     * @param id the id of the array
     * @param items the data of the items
     * @param <T> the type of the data
     * @return the number of items this call added; see {@link #add(JobRequest, Iterable)}
     */
    public <T> long add(JobType<T> type, String id, Iterable<? extends T> items) {
        JobRequest.Builder template = JobRequest.builder(type.name()).id(id).data(Map.of());
        type.priority().ifPresent(template::priority);
        type.maxRetries().ifPresent(template::maxRetries);
        return add(template.build(), items);
    }

    /**
     * Adds an array. Each chunk is written atomically. When the call fails or the process dies, repeating the call adds only the
     * chunks that are missing.
     *
     * @param template the type, the id of the array, and the properties that all chunks share, such as priority, group or
     *     scheduled time; the data is ignored
     * @param items the data of the items, each a record, bean, map or JSON object of up to 64 KiB; from one to ten million items.
     *     The items are consumed one at a time and never all kept in memory
     * @return the number of items this call added; 0 when all items existed already
     * @throws io.couchjobs.job.InvalidJobDataException when an item is not a JSON object, is too large, or there are too many
     *     items; earlier chunks may have been added
     * @throws io.couchjobs.job.JobRefusedException when the array exists with other items
     */
    public long add(JobRequest template, Iterable<?> items) {
        return add(template, items, ArrayCreator.ITEMS_OF_A_CHUNK);
    }

    /**
     * Adds an array as {@link #add(JobRequest, Iterable)} does, with another chunk size. Small chunks let more workers share a
     * short array. Large chunks cost less.
     *
     * @param template the properties that all chunks share
     * @param items the data of the items
     * @param ofAChunk the highest number of items in a chunk, from 1 to 10,000; default 500. A chunk never holds more than 256
     *     KiB of items
     * @return the number of items this call added
     * @throws IllegalArgumentException when the size is out of range
     */
    public long add(JobRequest template, Iterable<?> items, int ofAChunk) {
        rules.check(firstChunk(template));
        return creator.add(template, items.iterator(), ofAChunk);
    }

    /** The request for the first chunk. If that chunk exists, the array exists and needs no capacity in a full queue. */
    private static JobRequest firstChunk(JobRequest template) {
        JobId array = template.id();
        JobRequest.Builder chunk = JobRequest.builder(array.type())
                .id(ArrayCreator.chunkId(array, 1).id())
                .data(Map.of());
        template.site().ifPresent(chunk::site);
        return chunk.build();
    }

    /**
     * Returns the progress of an array. Reads all its chunks.
     *
     * @param array its type and id
     * @return the state; empty when there is no such array
     */
    public Optional<State> get(JobId array) {
        ArrayChunks listed = listed(array);
        return chunks(listed)
                .flatMap(job -> ItemStates.of(job).map(chunk -> State.of(job, chunk)).stream())
                .reduce(State::and)
                .map(state -> state.isComplete() || !listed.isRetired() ? state : state.complete());
    }

    /**
     * Streams the items of an array in order. Reads the chunks lazily, while the stream is consumed.
     *
     * @param array its type and id
     * @return the items; empty when there is no such array
     */
    public Stream<Item> items(JobId array) {
        return chunks(array).flatMap(job -> ItemStates.of(job).stream()).flatMap(JobArrays::items);
    }

    /**
     * Streams the jobs that store an array, for example to cancel or retry them. Reads the jobs lazily, while the stream is
     * consumed. Jobs that retention has deleted are left out.
     *
     * @param array its type and id
     * @return the jobs, in the order of the items; empty when there is no such array
     */
    public Stream<Job> chunks(JobId array) {
        return chunks(listed(array));
    }

    private ArrayChunks listed(JobId array) {
        return new ArrayChunks(engine.parts().store(), array);
    }

    private static Stream<Job> chunks(ArrayChunks listed) {
        return Stream.iterate(1, number -> number + 1)
                .map(listed::read)
                .takeWhile(chunk -> chunk.isPresent() || listed.hasMore())
                .flatMap(Optional::stream);
    }

    /**
     * Returns the ids of the jobs that store an array. A job that waits for all of them waits for the array:
     *
     * <pre>{@code queue.add(report.after(queue.arrays().jobs(new JobId("mail", "campaign-7"))));}</pre>
     *
     * <p>Jobs that retention has deleted have ended and are left out.
     *
     * @param array its type and id
     * @return the ids, in the order of the items
     * @throws io.couchjobs.job.NotFoundException when there is no such array
     * @throws IllegalStateException when not all of its items have been added
     */
    public List<JobId> jobs(JobId array) {
        List<JobId> jobs = new ArrayList<>();
        boolean isComplete = false;
        ArrayChunks listed = listed(array);
        Iterator<Job> chunks = chunks(listed).iterator();
        while (chunks.hasNext()) {
            Job chunk = chunks.next();
            jobs.add(chunk.id());
            isComplete = ItemStates.of(chunk).filter(ItemStates::isLast).isPresent();
        }
        if (jobs.isEmpty()) {
            throw new NotFoundException(array);
        }
        if (!isComplete && !listed.isRetired()) {
            throw new IllegalStateException(
                    "array " + array + " is not complete: add it again, which adds what is missing");
        }
        return jobs;
    }

    private static Stream<Item> items(ItemStates chunk) {
        return IntStream.range(0, chunk.size())
                .mapToObj(item -> new Item(
                        chunk.first() + item,
                        chunk.status(item),
                        chunk.result(item).orElse(null),
                        chunk.error(item).orElse(null)));
    }
}
