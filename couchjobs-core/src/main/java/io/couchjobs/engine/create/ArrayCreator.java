package io.couchjobs.engine.create;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.Sha256;
import io.couchjobs.engine.lifecycle.ItemStates;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobData;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.JobRequest;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Stores the items of an array in chunks, in as few jobs as needed, and creates only the chunks that are missing. Needs
 * memory for a few chunks, however many items there are. Thread-safe.
 */
public final class ArrayCreator {
    /** The most items that an array may have. */
    public static final long MOST_ITEMS = 10_000_000;
    /** The most items of a chunk, unless the creator asks for another number. */
    public static final int ITEMS_OF_A_CHUNK = 500;
    /** The most items of a chunk that a creator may ask for. */
    public static final int MOST_ITEMS_OF_A_CHUNK = 10_000;

    private static final int MOST_BYTES_OF_A_CHUNK = 256 * 1024;
    private static final int MOST_BYTES_OF_AN_ITEM = 64 * 1024;
    private static final int CHUNKS_AT_ONCE = 8;

    private final JobStore store;
    private final Creator creator;
    private final InstantSource clock;

    /** Creates an instance that stores chunks by a creator of the same store. */
    public ArrayCreator(JobStore store, Creator creator, InstantSource clock) {
        this.store = store;
        this.creator = creator;
        this.clock = clock;
    }

    /** {@return the id of the chunk with this number, from 1 on} */
    public static JobId chunkId(JobId array, int number) {
        return new JobId(array.type(), String.format(Locale.ROOT, "%s:%06d", array.id(), number));
    }

    /**
     * Adds the missing chunks of an array.
     *
     * @param template the values that all chunks have in common; its id is the array's
     * @param ofAChunk the most items of a chunk
     * @return the number of items in the chunks that were missing
     */
    public long add(JobRequest template, Iterator<?> items, int ofAChunk) {
        if (ofAChunk < 1 || ofAChunk > MOST_ITEMS_OF_A_CHUNK) {
            throw new IllegalArgumentException(
                    "a chunk must have 1 to " + MOST_ITEMS_OF_A_CHUNK + " items, not " + ofAChunk);
        }
        JobRequest listened = store.listener().adding(template);
        Adding adding = new Adding(listened, ofAChunk);
        while (items.hasNext()) {
            adding.add(items.next());
        }
        return adding.end();
    }

    /** One call of {@link ArrayCreator#add}. Used by one thread. */
    private final class Adding {
        private final JobRequest template;
        private final int ofAChunk;
        private final List<Job> chunks = new ArrayList<>();
        private ArrayNode items = JsonNodeFactory.instance.arrayNode();
        private int bytes;
        private long taken;
        private int number;
        private long added;
        /** Whether the array exists, at least in part. */
        private boolean wasThere;

        Adding(JobRequest template, int ofAChunk) {
            this.template = template;
            this.ofAChunk = ofAChunk;
        }

        void add(Object item) {
            ObjectNode data = data(item);
            int length = data.toString().getBytes(StandardCharsets.UTF_8).length;
            require(
                    length <= MOST_BYTES_OF_AN_ITEM,
                    "has " + length + " bytes; an item may have " + MOST_BYTES_OF_AN_ITEM);
            require(taken + items.size() < MOST_ITEMS, "is one too many; an array may have " + MOST_ITEMS + " items");
            if (items.size() == ofAChunk || bytes + length > MOST_BYTES_OF_A_CHUNK) {
                close(false);
            }
            items.add(data);
            bytes += length;
        }

        private ObjectNode data(Object item) {
            try {
                return JobData.of(item);
            } catch (InvalidJobDataException wrong) {
                throw new InvalidJobDataException(
                        "item " + index() + " of array " + template.id() + ": " + wrong.getMessage());
            }
        }

        private void require(boolean holds, String problem) {
            if (!holds) {
                throw new InvalidJobDataException("item " + index() + " of array " + template.id() + " " + problem);
            }
        }

        private long index() {
            return taken + items.size();
        }

        /**
         * Ends a chunk. The last chunk is marked as the last, so a full chunk stays open until another item follows.
         * The first chunk of a new array is written at once, because the result of this write tells whether another
         * call adds the array, too.
         */
        private void close(boolean isLast) {
            number++;
            chunks.add(chunk(isLast));
            taken += items.size();
            items = JsonNodeFactory.instance.arrayNode();
            bytes = 0;
            if (number == 1) {
                wasThere = new ArrayChunks(store, template.id()).hasMore();
            }
            if (isLast) {
                createWithLast();
            } else if (chunks.size() == CHUNKS_AT_ONCE || (number == 1 && !wasThere)) {
                create();
            }
        }

        /** Writes the last chunk after all others, because it says that they are stored. */
        private void createWithLast() {
            requireSame();
            Job last = chunks.remove(chunks.size() - 1);
            create();
            chunks.add(last);
            create();
        }

        private Job chunk(boolean isLast) {
            Job common = Transitions.create(template, clock.instant());
            ObjectNode document = common.document().deepCopy();
            document.put(Field.ID, chunkId(template.id(), number).docId());
            document.putObject(Field.DATA).set(ItemStates.ITEMS, items);
            document.set(
                    Field.ARRAY,
                    ItemStates.create(
                            template.id().id(), taken, items.size(), isLast, Sha256.hex(items.toString(), 16)));
            return Job.parse(document);
        }

        private void create() {
            requireSame();
            List<AddResult> results = chunks.isEmpty() ? List.of() : creator.insertChunks(chunks);
            for (int i = 0; i < chunks.size(); i++) {
                Job chunk = chunks.get(i);
                AddResult result = results.get(i);
                if (result.outcome() == AddResult.Outcome.ADDED) {
                    added += wanted(chunk).size();
                } else {
                    wasThere = true;
                    requireSame(
                            chunk,
                            creator.confirmed(chunk.id())
                                    .flatMap(ItemStates::of)
                                    .orElseThrow(() -> new JobRefusedException(
                                            chunk.id(), "could not be added: " + result.problem())));
                }
            }
            chunks.clear();
        }

        /**
         * Refuses another list of items before the present chunks are stored. If the array has lost all of these
         * chunks, only a later chunk shows that the list is another one.
         */
        private void requireSame() {
            if (wasThere) {
                Map<JobId, Job> present = store
                        .readAll(chunks.stream().map(Job::id).toList())
                        .stream()
                        .collect(Collectors.toMap(Job::id, job -> job));
                chunks.forEach(chunk -> Optional.ofNullable(present.get(chunk.id()))
                        .flatMap(ItemStates::of)
                        .ifPresent(states -> requireSame(chunk, states)));
            }
        }

        private static ItemStates wanted(Job chunk) {
            return ItemStates.of(chunk).orElseThrow();
        }

        private void requireSame(Job chunk, ItemStates present) {
            ItemStates wanted = wanted(chunk);
            if (!present.digest().equals(wanted.digest()) || present.isLast() != wanted.isLast()) {
                throw new JobRefusedException(
                        chunk.id(),
                        "is there with other items: array " + template.id() + " was added with another list before");
            }
        }

        long end() {
            if (index() == 0) {
                throw new InvalidJobDataException("array " + template.id() + " has no items");
            }
            close(true);
            return added;
        }
    }
}
