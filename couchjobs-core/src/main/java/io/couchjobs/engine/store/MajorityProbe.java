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
 * <p>A node of a cluster that is cut off answers reads from its only copy, and does not say so. But it answers a write with
 * 202 instead of 201. So a read counts if it lies between two writes that were both confirmed. While a majority is reachable,
 * a read of all leaves contains the leaves of two copies, and therefore every leaf that a majority has (see CouchDB's
 * documentation of sharding and quorums). A read of the winner alone may hide that two copies disagree.
 *
 * <p>The writes go to {@code _local} documents, which have no conflicts and no history, and do not appear in the feed or an
 * index. Each shard of a database has its own copies, and therefore its own probe. With one copy nothing is written.
 *
 * <p>The same node must answer all three requests, because another node may be cut off. If the client switches to another
 * node meanwhile, the read starts over there.
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
     * {@return the result of the read; empty when no majority of the copies of the documents was reachable}
     *
     * @param reading reads all leaves of these documents, with requests that name each document by its id; may be repeated
     */
    public <T> Optional<T> read(Collection<String> docIds, Supplier<T> reading) {
        return whileInReach(docIds, reading, this::isMajorityInReach);
    }

    /**
     * {@return the result of the work; empty when at least one copy of the documents was not reachable}
     *
     * @param work receives the number of copies, and sends requests that name each document by its id; may be repeated
     */
    public <T> Optional<T> withEveryCopy(Collection<String> docIds, IntFunction<T> work) {
        return whileInReach(docIds, () -> work.apply(copies.number()), this::isEveryCopyInReach);
    }

    /** {@return the number of the shard of a document; all jobs of a shard have or lack a majority together} */
    public int partOf(String docId) {
        return partOf(docId, copies.shards());
    }

    /** {@return the ids grouped by shard, in no particular order of shards} */
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

    /** Returns the id of a document that CouchDB keeps in a shard. */
    static String probeOf(int part, int shards) {
        int number = 0;
        while (partOf(PREFIX + number, shards) != part) {
            number++;
        }
        return PREFIX + number;
    }

    /** Returns the shard of a document. CouchDB divides the range of the ids' checksums evenly. */
    static int partOf(String docId, int shards) {
        CRC32 checksum = new CRC32();
        checksum.update(docId.getBytes(StandardCharsets.UTF_8));
        return (int) Math.min(shards - 1L, checksum.getValue() / (HASHES / shards));
    }
}
