package io.couchjobs.embedded.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Attachments;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.store.EditResult;
import io.couchjobs.embedded.store.Gate;
import io.couchjobs.embedded.tree.Revision;
import io.couchjobs.embedded.view.Validators;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;

/** A node's copy of a range of a database, with its own revision trees and its own order of changes. */
final class Copy {
    private final Member member;
    private final int range;
    private final Database database;
    private final Gate gate;
    private final List<Runnable> listeners = new ArrayList<>();
    private final List<Runnable> readers = new ArrayList<>();
    private final Map<Integer, NavigableMap<Long, Long>> offered = new HashMap<>();
    private boolean gone;

    Copy(Member member, int range, Database database) {
        this.member = member;
        this.range = range;
        this.database = database;
        this.gate = new Validators(database).gate(administrator(database));
    }

    /** Returns the user that validation functions get, because a simulated cluster has no users. */
    private static ObjectNode administrator(Database database) {
        ObjectNode user = Json.object().put("db", database.name()).putNull("name");
        user.putArray("roles").add("_admin");
        return user;
    }

    Member member() {
        return member;
    }

    int range() {
        return range;
    }

    Database database() {
        return database;
    }

    /** Registers a listener that is called after each request that changed the copy. The returned task removes the listener. */
    Runnable onChange(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** Calls the reader when the copy is deleted, at once if it already is. The returned task removes the reader. */
    Runnable onDelete(Runnable reader) {
        if (gone) {
            reader.run();
        }
        readers.add(reader);
        return () -> readers.remove(reader);
    }

    /** Marks the copy as deleted and calls the readers. They must not confuse it with a new copy of the same name. */
    void deleted() {
        gone = true;
        List.copyOf(readers).forEach(Runnable::run);
    }

    /**
     * Stores the leaves that another copy offers, and returns the newest sequence number of this copy afterwards. The leaves are
     * not validated again. As in CouchDB, known revisions are skipped, even if they come with a longer history.
     */
    long receive(List<Edit> leaves) {
        List<Edit> missing = leaves.stream()
                .filter(leaf ->
                        database.tree(leaf.id()).find(leaf.history().get(0)).isEmpty())
                .toList();
        noticed(() -> database.replicate(own(missing), Gate.OPEN));
        return database.updateSeq();
    }

    /** Notes that another copy, at its own sequence {@code theirs}, has stored all changes of this copy up to {@code ours}. */
    void offered(int node, long theirs, long ours) {
        offered.computeIfAbsent(node, any -> new TreeMap<>()).put(theirs, ours);
    }

    /**
     * {@return the sequence number after which a reader must read this copy, if it has read another copy up to a place} The
     * reader has seen all changes that this copy had sent to the other copy by then. This copy does not know which other changes
     * the reader has seen.
     */
    long startFor(PackedSeq.Place place) {
        Map.Entry<Long, Long> last =
                offered.getOrDefault(place.node(), new TreeMap<>()).floorEntry(place.seq());
        return last == null ? 0 : last.getValue();
    }

    /** Writes documents. Each copy decides by its own data only. */
    List<EditResult> write(List<Edit> edits) {
        return localsApart(edits, others -> database.write(own(others), gate));
    }

    List<EditResult> replicate(List<Edit> edits) {
        return localsApart(edits, others -> database.replicate(own(others), gate));
    }

    private List<EditResult> localsApart(List<Edit> edits, Function<List<Edit>, List<EditResult>> change) {
        if (edits.stream().noneMatch(Copy::isLocal)) {
            return noticed(() -> change.apply(edits));
        }
        List<Edit> others = edits.stream().filter(edit -> !isLocal(edit)).toList();
        Iterator<EditResult> results = noticed(() -> change.apply(others)).iterator();
        return edits.stream()
                .map(edit -> isLocal(edit) ? local(edit) : results.next())
                .toList();
    }

    static boolean isLocal(Edit edit) {
        return edit.id().startsWith("_local/");
    }

    /** Writes a local document without checking its revision, so a copy that missed a write accepts the next one. */
    private EditResult local(Edit edit) {
        if (edit.deleted()) {
            database.local().delete(edit.id());
            return new EditResult(edit.id(), new Revision(0, "0"), null);
        }
        try {
            String rev = edit.history().isEmpty() ? null : edit.history().get(0).toString();
            String stored = database.local().write(edit.id(), rev, edit.body());
            return new EditResult(edit.id(), Revision.parse(stored), null);
        } catch (CouchError e) {
            return new EditResult(edit.id(), null, e);
        }
    }

    private List<EditResult> noticed(Supplier<List<EditResult>> change) {
        long before = database.updateSeq();
        List<EditResult> results = change.get();
        if (database.updateSeq() != before) {
            List.copyOf(listeners).forEach(Runnable::run);
        }
        return results;
    }

    /** Copies edits with attachments: storing an edit changes its inline attachments, and the other copies get the same edit. */
    private static List<Edit> own(List<Edit> edits) {
        return edits.stream()
                .map(edit -> edit.body().has(Attachments.MEMBER)
                        ? new Edit(
                                edit.id(),
                                edit.history(),
                                edit.deleted(),
                                edit.body().deepCopy())
                        : edit)
                .toList();
    }
}
