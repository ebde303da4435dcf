package io.couchjobs.engine.create;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.engine.lifecycle.Resolution;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.JobTombstone;
import io.couchjobs.engine.store.ShownLeaves;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * Reads the chunks of an array, one after the other. A missing chunk ends the array, unless the list of all documents
 * has a later chunk. Not thread-safe.
 */
public final class ArrayChunks {
    private static final Pattern NUMBER = Pattern.compile("\\d{6,9}");
    /** How many ids are read, because the ids of other jobs may look alike. */
    private static final int LATEST = 20;

    private final JobStore store;
    private final JobId array;
    private OptionalInt latest = OptionalInt.empty();
    private int number;

    public ArrayChunks(JobStore store, JobId array) {
        this.store = store;
        this.array = array;
    }

    /** {@return the chunk with this number, from 1 on; empty when it does not exist} */
    public Optional<Job> read(int wanted) {
        number = wanted;
        return store.read(ArrayCreator.chunkId(array, wanted));
    }

    /** {@return whether there are chunks after the one that was read last} */
    public boolean hasMore() {
        if (latest.isEmpty()) {
            latest = OptionalInt.of(latest());
        }
        return number < latest.getAsInt();
    }

    /**
     * Returns whether retention has deleted the chunk that was read last and not found. The chunk's tombstone does not
     * say whether the chunk was the array's last one. Returns false when garbage collection has purged the tombstone.
     */
    public boolean isRetired() {
        String docId = ArrayCreator.chunkId(array, number).docId();
        List<ObjectNode> leaves =
                ShownLeaves.read(store.database(), List.of(docId)).getOrDefault(docId, List.of());
        return Resolution.settled(leaves).flatMap(JobTombstone::retiredStatus).isPresent();
    }

    private int latest() {
        String prefix = array.docId() + ":";
        ViewQuery backwards = ViewQuery.allDocs()
                .startKey(prefix + ":")
                .endKey(prefix + "0")
                .descending(true)
                .limit(LATEST);
        return store.database().view(backwards).rows().stream()
                .map(ViewResult.Row::id)
                .map(id -> id.substring(prefix.length()))
                .filter(rest -> NUMBER.matcher(rest).matches())
                .mapToInt(Integer::parseInt)
                .max()
                .orElse(0);
    }
}
