package io.couchjobs.embedded.feed;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Change;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.tree.Node;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes a changes feed to a client, on the calling thread. A disconnected client is noticed by the next write, at the latest by
 * the next heartbeat.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/api/database/changes.html">The changes API</a>
 */
public final class Feed {
    /** The maximum number of passes before a feed ends. Each pass reads only the changes after the previous one. */
    private static final int MOST_PASSES = 100;

    private final Database database;
    private final FeedRequest request;
    private final OutputStream out;
    private final Framing framing;
    private long position;
    private long left;
    /** Whether a document changed again before its row was written, so that the pass skipped it. */
    private boolean overtaken;

    public Feed(Database database, FeedRequest request, OutputStream out) {
        this.database = database;
        this.request = request;
        this.out = out;
        this.framing = Framing.of(request.form());
        this.position = request.since();
        this.left = request.limit();
    }

    public void run() throws IOException, InterruptedException {
        write(framing.begin());
        boolean found = writeRows();
        while (left > 0 && waits(found) && await()) {
            found |= writeRows();
        }
        for (int pass = 1; left > 0 && overtaken && pass < MOST_PASSES; pass++) {
            database.awaitWriter();
            writeRows();
        }
        write(framing.end(Seqs.text(database, position), database.pending(position)));
        out.flush();
    }

    private boolean waits(boolean found) {
        boolean once =
                request.form() == FeedRequest.Form.NORMAL || request.rows().descending();
        return !once && !(found && request.form() == FeedRequest.Form.LONGPOLL);
    }

    /**
     * Writes the rows after the position and flushes them together. The position also moves over filtered rows. Writes only
     * changes that are on disk, because after a crash another change gets the number of a lost one.
     */
    private boolean writeRows() throws IOException {
        boolean found = false;
        overtaken = false;
        long target = database.updateSeq();
        Iterator<Change> changes =
                request.rows().descending() ? database.changesBackwards(request.since()) : database.changes(position);
        database.awaitCommit();
        while (left > 0 && changes.hasNext()) {
            Change change = changes.next();
            Optional<Doc> doc = unchanged(change);
            overtaken |= doc.isEmpty() && !request.rows().descending();
            List<Node> leaves = doc.map(request.filter()::chosen).orElse(List.of());
            if (!leaves.isEmpty()) {
                String seq = Seqs.text(database, change.seq());
                String told = left % request.seqInterval() == 0 ? seq : null;
                write(framing.row(seq, Json.text(row(doc.orElseThrow(), leaves, told))));
                left--;
                found = true;
            }
            position = change.seq();
        }
        position = changes.hasNext() || request.rows().descending() ? position : Math.max(position, target);
        out.flush();
        return found;
    }

    private Optional<Doc> unchanged(Change change) {
        return database.winner(change.id()).filter(winner -> winner.seq() == change.seq());
    }

    /** Waits for a change. Returns false when the feed is over: the time has passed, or the database is closed. */
    private boolean await() throws IOException, InterruptedException {
        long start = System.nanoTime();
        while (!database.isClosed()) {
            long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            long wait = request.heartbeat() > 0 ? request.heartbeat() : request.timeout() - waited;
            if (wait <= 0) {
                return false;
            }
            if (database.awaitAfter(position, wait)) {
                return true;
            }
            if (request.heartbeat() > 0 && !database.isClosed()) {
                write(framing.heartbeat());
                out.flush();
            }
        }
        return false;
    }

    private ObjectNode row(Doc doc, List<Node> leaves, @Nullable String seq) {
        ObjectNode row = Json.object().put("seq", seq).put("id", doc.id());
        ArrayNode changes = row.putArray("changes");
        leaves.forEach(leaf -> changes.addObject().put("rev", leaf.rev().toString()));
        if (doc.node().deleted()) {
            row.put("deleted", true);
        }
        if (request.rows().docs()) {
            ObjectNode json = request.rows().conflicts() ? doc.jsonWithConflicts() : doc.json();
            database.attachments().present(json, request.rows().attachments());
            row.set("doc", json);
        }
        return row;
    }

    private void write(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }
}
