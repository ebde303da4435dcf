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

/** One node's copy of one range of a database: its own trees, in its own order of arrival. */
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

    /** The user that validation functions see: a cluster has no users of its own. */
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

    /** Calls the listener after each request that changed something; the returned task removes it. */
    Runnable onChange(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** Tells the reader when the copy is deleted, at once when it is already; the returned task removes the reader. */
    Runnable onDelete(Runnable reader) {
        if (gone) {
            reader.run();
        }
        readers.add(reader);
        return () -> readers.remove(reader);
    }

    /** Tells the readers that the copy is deleted: a new copy of the same name is another one. */
    void deleted() {
        gone = true;
        List.copyOf(readers).forEach(Runnable::run);
    }

    /**
     * Takes what another copy offers, unchecked as it was checked there, and says how far its own changes go then. Revisions that
     * are here are not even sent, so a longer history of one does not come either.
     */
    long receive(List<Edit> leaves) {
        List<Edit> missing = leaves.stream()
                .filter(leaf ->
                        database.tree(leaf.id()).find(leaf.history().get(0)).isEmpty())
                .toList();
        noticed(() -> database.replicate(own(missing), Gate.OPEN));
        return database.updateSeq();
    }

    /** Notes that another copy, at its own change {@code theirs}, has taken all changes of this copy up to {@code ours}. */
    void offered(int node, long theirs, long ours) {
        offered.computeIfAbsent(node, any -> new TreeMap<>()).put(theirs, ours);
    }

    /**
     * {@return the change of this copy from which a reader must go on that has read another copy up to a place} The reader has
     * seen everything that this copy had sent to the other one by then. This copy cannot tell what else the other one had.
     */
    long startFor(PackedSeq.Place place) {
        Map.Entry<Long, Long> last =
                offered.getOrDefault(place.node(), new TreeMap<>()).floorEntry(place.seq());
        return last == null ? 0 : last.getValue();
    }

    /** Each copy decides by its own data; none knows of the others. */
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

    /**
     * The revisions of local documents are not checked: a copy that has missed a write of one takes the next one nevertheless.
     */
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

    /** Storing a document changes the inline attachments of an edit, and the other copies get the same edit: so it is copied. */
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
