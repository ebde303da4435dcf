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
 * Arrays: many small items of one type, stored in few documents. Each item is run by the {@link io.couchjobs.worker.JobHandler} of its type, is
 * retried alone, and has an end, an error and a result of its own. Thread-safe. {@link JobQueue} says what all methods throw.
 *
 * <p>An array is stored as chunks of up to 500 items. A chunk is a job with the array's id, a colon and a number of six digits as its id:
 * what can be done with a job can be done with it. The items of a chunk run one after the other, those of several chunks at the same
 * time, also in several processes. Source: the array jobs of Slurm and AWS Batch.
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
     * How far an array is. It counts the chunks that are there: those that retention has deleted have ended, and are left out.
     * Immutable and thread-safe.
     *
     * @param chunks how many jobs store it
     * @param items how many items these have
     * @param succeeded how many items have succeeded
     * @param failed how many items have failed for good
     * @param running how many items run now
     * @param isComplete whether all its chunks have been added; false when its creator died while it added them. When retention has
     *     deleted the chunk behind the last one that is there, none is missing
     */
    public record State(int chunks, long items, long succeeded, long failed, int running, boolean isComplete) {
        /** {@return whether all items have ended, those of deleted chunks too} */
        public boolean isFinished() {
            return isComplete && waiting() == 0 && running == 0;
        }

        /** {@return how many items are still to be run} */
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
     * An item. Immutable and thread-safe.
     *
     * @param index its place in the array, from 0 on
     * @param status {@code SUCCESS}; {@code FAILED} for good; {@code STUCK} when its last run failed and it is retried; {@code WAITING}
     *     when it has not been run to its end
     * @param result what its handler returned, or null
     * @param error why its last run failed, or null
     */
    public record Item(
            long index,
            JobStatus status,
            @Nullable JsonNode result,
            @Nullable String error) {}

    /**
     * Adds an array, due at once.
     *
     * @param type the type
     * @param id the id of the array
     * @param items the data of its items
     * @param <T> what the data is
     * @return how many items this call added; see {@link #add(JobRequest, Iterable)}
     */
    public <T> long add(JobType<T> type, String id, Iterable<? extends T> items) {
        JobRequest.Builder template = JobRequest.builder(type.name()).id(id).data(Map.of());
        type.priority().ifPresent(template::priority);
        type.maxRetries().ifPresent(template::maxRetries);
        return add(template.build(), items);
    }

    /**
     * Adds an array. Each chunk is written whole or not at all. When the call fails, or its process dies, the same call adds the chunks
     * that are missing, and none twice.
     *
     * @param template the type, the id of the array, and what all its chunks have in common, such as priority, group or scheduled time; its
     *     data is ignored
     * @param items the data of the items, each a record, bean, map or JSON object of up to 64 KiB; at least one, at most ten million. They are
     *     taken one after the other, and never all kept
     * @return how many items this call added; 0 when all were there
     * @throws io.couchjobs.job.InvalidJobDataException when an item is none, too large or one too many; chunks before it may have been added
     * @throws io.couchjobs.job.JobRefusedException when the array is there with other items
     */
    public long add(JobRequest template, Iterable<?> items) {
        return add(template, items, ArrayCreator.ITEMS_OF_A_CHUNK);
    }

    /**
     * As {@link #add(JobRequest, Iterable)}, with chunks of another size. Small ones spread a short array over more places; large ones
     * cost less.
     *
     * @param template what all its chunks have in common
     * @param items the data of the items
     * @param ofAChunk how many items a chunk has at most, from 1 to 10,000; default 500. A chunk has at most 256 KiB of items, whatever this says
     * @return how many items this call added
     * @throws IllegalArgumentException when the size is out of range
     */
    public long add(JobRequest template, Iterable<?> items, int ofAChunk) {
        rules.check(firstChunk(template));
        return creator.add(template, items.iterator(), ofAChunk);
    }

    /** An array that exists, as its first chunk does, needs no room in a full queue. */
    private static JobRequest firstChunk(JobRequest template) {
        JobId array = template.id();
        JobRequest.Builder chunk = JobRequest.builder(array.type())
                .id(ArrayCreator.chunkId(array, 1).id())
                .data(Map.of());
        template.site().ifPresent(chunk::site);
        return chunk.build();
    }

    /**
     * Asks how far an array is. Reads all its chunks.
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
     * Goes through the items of an array, in their order. Reads its chunks while the stream is consumed.
     *
     * @param array its type and id
     * @return the items; none when there is no such array
     */
    public Stream<Item> items(JobId array) {
        return chunks(array).flatMap(job -> ItemStates.of(job).stream()).flatMap(JobArrays::items);
    }

    /**
     * Goes through the jobs that store an array: to cancel them, to retry those that have failed, and for whatever else can be done
     * with a job. Reads them while the stream is consumed. Those that retention has deleted are left out.
     *
     * @param array its type and id
     * @return the jobs, in the order of the items; none when there is no such array
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
     * Names the jobs that store an array. A job that waits for all of them waits for the array:
     *
     * <pre>{@code queue.add(report.after(queue.arrays().jobs(new JobId("mail", "campaign-7"))));}</pre>
     *
     * <p>Jobs that retention has deleted have ended, and are left out.
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
