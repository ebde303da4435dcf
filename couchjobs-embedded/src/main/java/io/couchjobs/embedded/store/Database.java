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

/** A database. Writes are serialized, and durable when the method returns. Reads do not wait for writes. Thread-safe. */
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

    /** {@return the number of the newest change, after committing it} Even after a crash, no other change gets this number. */
    public long committedSeq() {
        long seq = updateSeq;
        awaitCommit();
        return seq;
    }

    /** Waits for a running writer: after it, a reader that saw a part of a change sees the whole change. */
    public synchronized void awaitWriter() {}

    /** Commits all changes that a reader has seen so far. Only then may the reader pass them on. */
    public void awaitCommit() {
        long seen = Math.max(updateSeq, last(maps.changes().lastKey()));
        if (!pulse.hasReached(seen)) {
            commits.flush();
            pulse.moveTo(seen);
        }
    }

    /** {@return a number that changes whenever a design document changes} */
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

    /** Throws an error, and stores no edit, when an edit has a stub for an attachment that its base does not have. */
    public void requireStubs(List<Edit> edits) {
        Writer writer = writer(Gate.OPEN);
        edits.forEach(edit -> writer.requireStubs(edit, record(edit.id())));
    }

    /** Checks replicated edits like {@link #requireStubs}. */
    public void requireReplicatedStubs(List<Edit> edits) {
        Writer writer = writer(Gate.OPEN);
        edits.forEach(edit -> writer.requireReplicatedStubs(edit, record(edit.id())));
    }

    private DocRecord record(String id) {
        return maps.docs().getOrDefault(id, DocRecord.NONE);
    }

    /** Stores client edits, each on top of the revision that it names. Returns one result per edit, in order. */
    public List<EditResult> write(List<Edit> edits, Gate gate) {
        return writeAll(edits, writer(gate)::interactive);
    }

    /** Stores replicated edits with their own revisions. */
    public List<EditResult> replicate(List<Edit> edits, Gate gate) {
        return writeAll(edits, writer(gate)::replicated);
    }

    private Writer writer(Gate gate) {
        return new Writer(bodies, attachments, gate, this::looksFirst);
    }

    /** Returns whether CouchDB reads the current document before a write: with validation functions, and in a new database. */
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
        maps.changes().append(seq, id); // before the removal: a reader that finds neither entry would miss the document
        maps.changes().remove(known.seq());
        if (tree.winner().deleted()) {
            maps.live().remove(id);
        } else {
            maps.live().put(id, tree.winner().rev().toString());
        }
        moved(id, seq);
        // Last: a reader that finds the old contents gone reads the record again, and finds the new one.
        bodies.dropUnused(known.tree(), tree);
    }

    private void moved(String id, long seq) {
        updateSeq = seq;
        if (id.startsWith(DESIGN)) {
            designSeq = seq;
        }
    }

    /** {@return the tree of a document; empty for an unknown document} */
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

    /** {@return a revision, if its content is still stored} */
    public Optional<Doc> revision(String id, Revision rev) {
        return read(id, tree -> tree.find(rev));
    }

    /** Reads a revision. Reads again when the record has changed meanwhile, because the old contents may have been dropped. */
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

    /** {@return whether the content of a revision is still stored} */
    public boolean isAvailable(Node node) {
        return maps.bodies().containsKey(node.body());
    }

    /** {@return the ids and winning revisions of live documents, in the order of ids} */
    public IdRange live() {
        return new IdRange(maps.live());
    }

    /** {@return the newest change of each document that changed after a sequence number, oldest change first} */
    public Iterator<Change> changes(long after) {
        return over(maps.changes().cursor(after + 1));
    }

    /** {@return the newest change of each document that changed after a sequence number, newest change first} */
    public Iterator<Change> changesBackwards(long after) {
        return over(maps.changes().cursor(null, after + 1, true));
    }

    /** {@return the purges after a sequence number} */
    public Iterator<Change> purges(long after) {
        return over(maps.purged().cursor(after + 1));
    }

    /** {@return the number of changes after a sequence number} */
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

    /** Waits at most {@code millis} for a change after a sequence number. Returns whether there is one. */
    public boolean awaitAfter(long seq, long millis) throws InterruptedException {
        return pulse.awaitAfter(seq, millis);
    }

    public boolean isClosed() {
        return pulse.isClosed();
    }

    /** Purges leaves, as if they had never existed. Returns the leaves that were purged. */
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
            moved(id, updateSeq); // last: before, a reader may still find the document
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

    /** {@return the approximate size of the documents, in bytes} */
    public long size() {
        long perBody = 512;
        return maps.bodies().sizeAsLong() * perBody;
    }

    /** {@return the space for indexes, which are deleted with this database} */
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
