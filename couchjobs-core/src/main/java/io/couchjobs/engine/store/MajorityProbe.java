package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.job.WriteRefusedException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the state that a majority of the copies has. Thread-safe.
 *
 * <p>A node of a cluster that is cut off answers readings by the only copy that it has, and does not say so. But it
 * answers a write by 202 instead of 201. So a reading counts when it lies between two writes that were both confirmed.
 * While a majority is in reach, a reading of all leaves has those of two copies, and therefore every leaf that a majority has
 * (see CouchDB's documentation of sharding and quorums). A reading of the winner alone may hide that two copies disagree.
 *
 * <p>The writes are of {@code _local} documents: these have no conflicts, no history and no place in the feed or an
 * index. Each part (shard) of a database has copies of its own, and therefore a probe of its own. On one copy nothing
 * is written.
 *
 * <p>One node must answer all three requests: another may be cut off while this one is not. When the client switches to
 * another node meanwhile, the reading begins anew there.
 */
public final class MajorityProbe {
    private static final Logger log = LoggerFactory.getLogger(MajorityProbe.class);
    private static final String PREFIX = "_local/couchjobs-probe-";
    private static final long HASHES = 1L << 32;
    private static final int MOST_NODES = 3;

    private final CouchDatabase database;
    private final Copies copies;

    public MajorityProbe(CouchDatabase database, Copies copies) {
        this.database = database;
        this.copies = copies;
    }

    /**
     * {@return the result of the reading; empty when no majority of the copies of the documents was in reach}
     *
     * @param reading reads all leaves of these documents, by requests that ask for each document by its id
     */
    public <T> Optional<T> read(Collection<String> docIds, Supplier<T> reading) {
        return whileInReach(docIds, reading, this::isMajorityInReach);
    }

    /**
     * {@return the result of the work; empty when not every copy of the documents was in reach}
     *
     * @param work sends requests that name each document by its id. It is given the number of copies, and may be repeated
     */
    public <T> Optional<T> withEveryCopy(Collection<String> docIds, IntFunction<T> work) {
        return whileInReach(docIds, () -> work.apply(copies.number()), this::isEveryCopyInReach);
    }

    /** {@return the number of the part that has a document; jobs of one part have or lack a majority together} */
    public int partOf(String docId) {
        return partOf(docId, copies.shards());
    }

    /** {@return the ids by their part, in no particular order of parts} */
    Collection<List<String>> byPart(Collection<String> docIds) {
        return docIds.stream().collect(Collectors.groupingBy(this::partOf)).values();
    }

    private <T> Optional<T> whileInReach(Collection<String> docIds, Supplier<T> reading, Predicate<String> probing) {
        if (!copies.areSeveral()) {
            return Optional.of(reading.get());
        }
        int shards = copies.shards();
        int[] parts =
                docIds.stream().mapToInt(id -> partOf(id, shards)).distinct().toArray();
        for (int nodes = 0; nodes < MOST_NODES; nodes++) {
            long node = database.server().nodeSwitches();
            Optional<T> read = areInReach(parts, shards, probing) ? Optional.of(reading.get()) : Optional.empty();
            boolean counts = read.isPresent() && areInReach(parts, shards, probing);
            if (database.server().nodeSwitches() == node) {
                return counts ? read : Optional.empty();
            }
        }
        return Optional.empty();
    }

    private static boolean areInReach(int[] parts, int shards, Predicate<String> probing) {
        return IntStream.of(parts).mapToObj(part -> probeOf(part, shards)).allMatch(probing);
    }

    private boolean isMajorityInReach(String probe) {
        return isConfirmed(probe, database::put);
    }

    private boolean isEveryCopyInReach(String probe) {
        return isConfirmed(probe, document -> database.put(document, copies.number()));
    }

    private static boolean isConfirmed(String probe, Function<ObjectNode, WriteResult> writing) {
        try {
            WriteResult written =
                    writing.apply(JsonNodeFactory.instance.objectNode().put("_id", probe));
            return WriteRefusedException.check(written) instanceof WriteResult.Stored;
        } catch (CouchException away) {
            log.debug("too few copies are in reach: {}", away.toString());
            return false;
        }
    }

    /** An id of a document that CouchDB keeps in that part. */
    static String probeOf(int part, int shards) {
        int number = 0;
        while (partOf(PREFIX + number, shards) != part) {
            number++;
        }
        return PREFIX + number;
    }

    /** CouchDB divides the range of the ids' checksums evenly. */
    static int partOf(String docId, int shards) {
        CRC32 checksum = new CRC32();
        checksum.update(docId.getBytes(StandardCharsets.UTF_8));
        return (int) Math.min(shards - 1L, checksum.getValue() / (HASHES / shards));
    }
}
