package io.couchjobs.embedded.view;

import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Change;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.store.IndexSpace;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.LongDataType;
import org.h2.mvstore.type.StringDataType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The index of all views of a design document. A refresh maps only the documents that have changed. Thread-safe. */
public final class ViewGroup {
    private static final Logger LOG = LoggerFactory.getLogger(ViewGroup.class);
    private static final int BATCH = 200;
    private static final String SEQ = "seq";

    private final Database database;
    private final DesignDoc design;
    private final IndexSpace space;
    private final List<MVMap<byte[], IndexRow>> rows;
    private final MVMap<String, byte[]> places;
    private final MVMap<String, Long> state;
    /** Held while rows are replaced, because readers must not see the state between the removal and the addition. */
    private final ReadWriteLock moves = new ReentrantReadWriteLock();

    private @Nullable Script script;

    ViewGroup(Database database, DesignDoc design) {
        this.database = database;
        this.design = design;
        this.space = database.indexes();
        String prefix = design.signature() + ".";
        this.rows = IntStream.range(0, design.views().size())
                .mapToObj(i -> space.map(prefix + i, PlaceType.INSTANCE, IndexRow.Type.INSTANCE))
                .toList();
        this.places = space.map(prefix + "places", StringDataType.INSTANCE, ByteArrayDataType.INSTANCE);
        this.state = space.map(prefix + "state", StringDataType.INSTANCE, LongDataType.INSTANCE);
    }

    DesignDoc design() {
        return design;
    }

    MVMap<byte[], IndexRow> rows(int view) {
        return rows.get(view);
    }

    public String signature() {
        return design.signature();
    }

    /** {@return the sequence number up to which changes are indexed} */
    public long seq() {
        return state.getOrDefault(SEQ, 0L);
    }

    /** Maps all documents that have changed since the last refresh. */
    public synchronized void refresh() {
        long target = database.committedSeq();
        while (seq() < target) {
            step(target);
        }
    }

    /** Indexes a batch of changes. Reads purges first: a purge has a lower number than the document that is added after it. */
    private void step(long target) {
        long from = seq();
        Set<String> ids = new LinkedHashSet<>();
        long reached =
                Math.min(collect(database.purges(from), target, ids), collect(database.changes(from), target, ids));
        List<Emitted> emitted = ids.stream().map(this::map).toList();
        space.change(() -> replaceAll(emitted, reached));
    }

    private long replaceAll(List<Emitted> emitted, long reached) {
        moves.writeLock().lock();
        try {
            emitted.forEach(this::replace);
            state.put(SEQ, reached);
            return reached;
        } finally {
            moves.writeLock().unlock();
        }
    }

    /**
     * Runs an action while the index does not change, so that cursors and counts match. A cursor keeps reading the state at its
     * creation.
     */
    <T> T atOnce(Supplier<T> taken) {
        moves.readLock().lock();
        try {
            return taken.get();
        } finally {
            moves.readLock().unlock();
        }
    }

    private static long collect(Iterator<Change> changes, long target, Set<String> ids) {
        List<Change> taken = new ArrayList<>();
        while (changes.hasNext() && taken.size() < BATCH) {
            Change change = changes.next();
            if (change.seq() > target) {
                break;
            }
            taken.add(change);
            ids.add(change.id());
        }
        return taken.size() < BATCH ? target : taken.get(BATCH - 1).seq();
    }

    private Emitted map(String id) {
        boolean wanted = design.includesDesignDocs() || !id.startsWith("_design/");
        return wanted ? database.live(id).map(this::map).orElseGet(() -> Emitted.nothing(id)) : Emitted.nothing(id);
    }

    private Emitted map(Doc doc) {
        try {
            return Emitted.of(doc.id(), script().map(Json.text(doc.jsonWithConflicts())));
        } catch (ScriptFailure e) {
            LOG.warn("{} failed on document {}, which is left out: {}", design.id(), doc.id(), e.getMessage());
            return Emitted.nothing(doc.id());
        }
    }

    private Script script() {
        if (script == null) {
            script = new Script(design.id(), design.library(), design.maps());
        }
        return script;
    }

    private void replace(Emitted emitted) {
        byte[] before = places.get(emitted.id());
        if (before != null) {
            remove(ByteBuffer.wrap(before));
            places.remove(emitted.id());
        }
        emitted.entries().forEach(entry -> rows.get(entry.view()).put(entry.place(), entry.row()));
        if (!emitted.entries().isEmpty()) {
            places.put(emitted.id(), emitted.places());
        }
    }

    private void remove(ByteBuffer before) {
        while (before.hasRemaining()) {
            int view = before.getInt();
            byte[] place = new byte[before.getInt()];
            before.get(place);
            rows.get(view).remove(place);
        }
    }
}
