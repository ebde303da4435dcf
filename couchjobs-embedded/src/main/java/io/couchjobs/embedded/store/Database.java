package io.couchjobs.embedded.store;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.tree.Node;
import io.couchjobs.embedded.tree.RevTree;
import io.couchjobs.embedded.tree.Revision;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVStore;
import org.jspecify.annotations.Nullable;

/**
 * One database. Writes are serialised and durable when a method returns; reads do not wait for them. Thread-safe.
 */
public final class Database {
    private static final String DESIGN = "_design/";

    private final String name;
    private final String uuid;
    private final MVStore store;
    private final Commits commits;
    private final Maps maps;
    private final Bodies bodies;
    private final Attachments attachments;
    private final LocalDocs local;
    private final Settings settings;
    private final Pulse pulse;
    private volatile long updateSeq;
    private volatile long designSeq;

    Database(String name, String uuid, MVStore store, Commits commits) {
        this.name = name;
        this.uuid = uuid;
        this.store = store;
        this.commits = commits;
        this.maps = Maps.open(store, prefix());
        this.bodies = new Bodies(maps.bodies());
        this.attachments = new Attachments(maps.attachments());
        this.local = new LocalDocs(maps.local(), commits);
        this.settings = new Settings(maps.meta(), commits);
        this.updateSeq =
                Math.max(last(maps.changes().lastKey()), last(maps.purged().lastKey()));
        this.pulse = new Pulse(updateSeq);
    }

    private static long last(@Nullable Long key) {
        return Objects.requireNonNullElse(key, 0L);
    }

    private String prefix() {
        return uuid + ".";
    }

    public String name() {
        return name;
    }

    public String uuid() {
        return uuid;
    }

    public Settings settings() {
        return settings;
    }

    public LocalDocs local() {
        return local;
    }

    public Attachments attachments() {
        return attachments;
    }

    public long updateSeq() {
        return updateSeq;
    }

    /** {@return the number of the newest change, once it is on disk} Even after a crash no other change gets this number. */
    public long committedSeq() {
        long seq = updateSeq;
        awaitCommit();
        return seq;
    }

    /** Returns when a change of which a reader has met a part is there as a whole. */
    public synchronized void awaitWriter() {}

    /** Returns when all changes are on disk that a reader has met so far: only then may anybody else hear of them. */
    public void awaitCommit() {
        long seen = Math.max(updateSeq, last(maps.changes().lastKey()));
        if (!pulse.hasReached(seen)) {
            commits.flush();
            pulse.moveTo(seen);
        }
    }

    /** {@return a number that moves whenever a design document changes} */
    public long designSeq() {
        return designSeq;
    }

    public long docCount() {
        return maps.live().sizeAsLong();
    }

    public long deletedCount() {
        return maps.docs().sizeAsLong() - maps.live().sizeAsLong();
    }

    public long purgeSeq() {
        return last(maps.purged().lastKey()) == 0 ? 0 : maps.purged().sizeAsLong();
    }

    /**
     * Fails when one of these client writes has a stub for an attachment that its base does not have: CouchDB then stores none of
     * them.
     */
    public void requireStubs(List<Edit> edits) {
        Writer writer = writer(Gate.OPEN);
        edits.forEach(edit -> writer.requireStubs(edit, record(edit.id())));
    }

    /** As {@link #requireStubs}, for replicated writes. */
    public void requireReplicatedStubs(List<Edit> edits) {
        Writer writer = writer(Gate.OPEN);
        edits.forEach(edit -> writer.requireReplicatedStubs(edit, record(edit.id())));
    }

    private DocRecord record(String id) {
        return maps.docs().getOrDefault(id, DocRecord.NONE);
    }

    /** Stores client writes, each over the revision it names; one result per edit, in order. */
    public List<EditResult> write(List<Edit> edits, Gate gate) {
        return writeAll(edits, writer(gate)::interactive);
    }

    /** Stores replicated writes with the revisions they bring. */
    public List<EditResult> replicate(List<Edit> edits, Gate gate) {
        return writeAll(edits, writer(gate)::replicated);
    }

    private Writer writer(Gate gate) {
        return new Writer(bodies, attachments, gate, this::looksFirst);
    }

    /** CouchDB reads the present document for validation functions, and before it knows whether there are any. */
    private boolean looksFirst() {
        return updateSeq == 0 || designs().anyMatch(design -> design.body().has("validate_doc_update"));
    }

    /** {@return the design documents that are not deleted} */
    public Stream<Doc> designs() {
        List<String> ids = new ArrayList<>();
        maps.live().cursor(DESIGN, "_design0", false).forEachRemaining(ids::add);
        return ids.stream().flatMap(id -> live(id).stream());
    }

    @FunctionalInterface
    private interface Step {
        Writer.Grown grow(Edit edit, DocRecord known);
    }

    private List<EditResult> writeAll(List<Edit> edits, Step step) {
        List<EditResult> results = commits.apply(() -> {
            synchronized (this) {
                return edits.stream().map(edit -> writeOne(edit, step)).toList();
            }
        });
        awaitCommit();
        return results;
    }

    private EditResult writeOne(Edit edit, Step step) {
        DocRecord known = record(edit.id());
        try {
            Writer.Grown grown = step.grow(edit, known);
            RevTree tree = grown.tree().stem(settings.revsLimit());
            if (grown.changed() && !tree.equals(known.tree())) {
                save(edit.id(), known, tree);
            }
            return EditResult.stored(edit.id(), grown.rev());
        } catch (CouchError e) {
            return EditResult.refused(edit.id(), edit.rev(), e);
        }
    }

    private void save(String id, DocRecord known, RevTree tree) {
        long seq = updateSeq + 1;
        maps.docs().put(id, new DocRecord(seq, tree));
        maps.changes().append(seq, id); // first: a reader who finds neither place would miss the document
        maps.changes().remove(known.seq());
        if (tree.winner().deleted()) {
            maps.live().remove(id);
        } else {
            maps.live().put(id, tree.winner().rev().toString());
        }
        moved(id, seq);
        // Last: a reader of the old record looks once more, and finds the new one.
        bodies.dropUnused(known.tree(), tree);
    }

    private void moved(String id, long seq) {
        updateSeq = seq;
        if (id.startsWith(DESIGN)) {
            designSeq = seq;
        }
    }

    /** {@return the tree of a document, empty when it was never here} */
    public RevTree tree(String id) {
        return record(id).tree();
    }

    /** {@return the winning revision, deleted or not} */
    public Optional<Doc> winner(String id) {
        return read(id, tree -> Optional.of(tree.winner()));
    }

    /** {@return the winning revision, unless it is deleted} */
    public Optional<Doc> live(String id) {
        return winner(id).filter(doc -> !doc.node().deleted());
    }

    /** {@return one revision, when its content is still here} */
    public Optional<Doc> revision(String id, Revision rev) {
        return read(id, tree -> tree.find(rev));
    }

    /** Looks once more when the record has changed meanwhile: its content may have been dropped after that. */
    private Optional<Doc> read(String id, Function<RevTree, Optional<Node>> wanted) {
        DocRecord record = record(id);
        Optional<Doc> doc = read(id, record, wanted);
        for (DocRecord now = record(id); doc.isEmpty() && !now.equals(record); now = record(id)) {
            record = now;
            doc = read(id, record, wanted);
        }
        return doc;
    }

    private Optional<Doc> read(String id, DocRecord record, Function<RevTree, Optional<Node>> wanted) {
        return Optional.of(record.tree())
                .filter(tree -> !tree.isEmpty())
                .flatMap(wanted)
                .flatMap(node -> bodies.read(node).map(body -> new Doc(id, record.seq(), record.tree(), node, body)));
    }

    /** {@return whether the content of a revision is still here} */
    public boolean isAvailable(Node node) {
        return maps.bodies().containsKey(node.body());
    }

    /** {@return the ids and winning revisions of live documents, between two ids, both included} */
    public IdRange live() {
        return new IdRange(maps.live());
    }

    /** {@return every document's newest change after a number, oldest first} */
    public Iterator<Change> changes(long after) {
        return over(maps.changes().cursor(after + 1));
    }

    /** {@return every document's newest change, newest first, down to and without a number} */
    public Iterator<Change> changesBackwards(long after) {
        return over(maps.changes().cursor(null, after + 1, true));
    }

    /** {@return the purges after a number} */
    public Iterator<Change> purges(long after) {
        return over(maps.purged().cursor(after + 1));
    }

    /** {@return how many changes are left after a number} */
    public long pending(long after) {
        Long next = maps.changes().higherKey(after);
        return next == null ? 0 : maps.changes().sizeAsLong() - maps.changes().getKeyIndex(next);
    }

    private static Iterator<Change> over(Cursor<Long, String> cursor) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return cursor.hasNext();
            }

            @Override
            public Change next() {
                Long seq = cursor.next();
                return new Change(seq, cursor.getValue());
            }
        };
    }

    /** Waits at most so many milliseconds for a change after a number; false when there was none. */
    public boolean awaitAfter(long seq, long millis) throws InterruptedException {
        return pulse.awaitAfter(seq, millis);
    }

    public boolean isClosed() {
        return pulse.isClosed();
    }

    /** Forgets leaves as if they had never been, and returns those that were here. */
    public List<Revision> purge(String id, List<Revision> leaves) {
        List<Revision> purged = commits.apply(() -> {
            synchronized (this) {
                return purgeOne(id, leaves);
            }
        });
        awaitCommit();
        return purged;
    }

    private List<Revision> purgeOne(String id, List<Revision> leaves) {
        DocRecord known = maps.docs().getOrDefault(id, DocRecord.NONE);
        RevTree tree = known.tree();
        List<Revision> purged = new ArrayList<>();
        for (Revision rev : leaves) {
            if (tree.leaf(rev).isPresent()) {
                tree = tree.without(rev);
                purged.add(rev);
            }
        }
        if (!purged.isEmpty()) {
            long seq = updateSeq + 1;
            maps.purged().append(seq, id);
            updateSeq = seq;
            forget(id, known, tree);
            moved(id, updateSeq); // last: until then a reader may still find the document
        }
        return purged;
    }

    private void forget(String id, DocRecord known, RevTree tree) {
        if (!tree.isEmpty()) {
            save(id, known, tree);
            return;
        }
        bodies.dropUnused(known.tree(), tree);
        maps.docs().remove(id);
        maps.live().remove(id);
        maps.changes().remove(known.seq());
    }

    /** Drops the contents of all revisions that are not leaves. */
    public void compact() {
        for (String id : maps.docs().keyList()) {
            commits.apply(() -> compactOne(id));
        }
        commits.flush();
    }

    private synchronized boolean compactOne(String id) {
        DocRecord known = maps.docs().get(id);
        if (known == null) {
            return false;
        }
        RevTree compacted = known.tree().compacted();
        maps.docs().put(id, new DocRecord(known.seq(), compacted));
        bodies.dropUnused(known.tree(), compacted);
        return true;
    }

    /** {@return about how many bytes the documents take} */
    public long size() {
        long perBody = 512;
        return maps.bodies().sizeAsLong() * perBody;
    }

    /** {@return room for indexes: maps that live and die with this database} */
    public IndexSpace indexes() {
        return new IndexSpace(store, commits, prefix() + "index.");
    }

    void close() {
        pulse.close();
    }

    void drop() {
        store.getMapNames().stream()
                .filter(map -> map.startsWith(prefix()))
                .toList()
                .forEach(store::removeMap);
    }
}
