package io.couchjobs.testing;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.engine.document.Rev;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How many jobs were owned at the same time, as the order of the database's own changes proves. A feed tells of a document only
 * the newest change, so a claim that it skipped is not counted; what is counted was so, however slow the machine is.
 */
public final class OwnedAtOnce implements AutoCloseable {
    private final List<Row> rows = new ArrayList<>();
    private final ChangesFeed feed;
    private final Thread thread = new Thread(this::follow, "owned-at-once");

    /** One change of a job; the token is empty when nobody owns it. */
    private record Row(String docId, long generation, String token) {
        /** Whether the job was the other row's owner's all the time in between. */
        boolean follows(Row before) {
            return token.equals(before.token) || generation == before.generation + 1;
        }
    }

    public OwnedAtOnce(JobQueue queue) {
        feed = queue.database()
                .changes(ChangesRequest.continuous()
                        .heartbeat(Duration.ofSeconds(1))
                        .includeDocs(true));
        thread.setDaemon(true);
        thread.start();
    }

    /** Waits until the feed has told the end of so many jobs. */
    public void awaitEnds(int jobs) throws Exception {
        TestQueue.until(() -> ended() == jobs);
    }

    public int most() {
        List<Row> all = rows();
        Map<String, Row> next = new HashMap<>();
        Set<Row> certain = new HashSet<>();
        for (int i = all.size() - 1; i >= 0; i--) {
            Row row = all.get(i);
            Row after = next.put(row.docId, row);
            if (!row.token.isEmpty() && (after == null || after.follows(row))) {
                certain.add(row);
            }
        }
        return most(all, certain);
    }

    @Override
    public void close() {
        feed.close();
    }

    private static int most(List<Row> all, Set<Row> certain) {
        Set<String> owned = new HashSet<>();
        int most = 0;
        for (Row row : all) {
            owned.remove(row.docId);
            int now = owned.size() + (row.token.isEmpty() ? 0 : 1);
            most = Math.max(most, now);
            if (certain.contains(row)) {
                owned.add(row.docId);
            }
        }
        return most;
    }

    private int ended() {
        Map<String, Row> last = new HashMap<>();
        rows().forEach(row -> last.put(row.docId, row));
        return (int) last.values().stream()
                .filter(row -> row.generation > 1 && row.token.isEmpty())
                .count();
    }

    private List<Row> rows() {
        synchronized (rows) {
            return List.copyOf(rows);
        }
    }

    private void follow() {
        while (!feed.isEnded()) {
            feed.next(Duration.ofSeconds(1))
                    .filter(change -> change.id().startsWith("job:"))
                    .ifPresent(this::add);
        }
    }

    private void add(Change change) {
        ObjectNode job = change.doc();
        String token = job == null ? "" : job.path("lock").path("token").asText();
        synchronized (rows) {
            rows.add(new Row(change.id(), Rev.generation(change.revs().get(0)), token));
        }
    }
}
