package io.couchjobs.engine.feed;

import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.store.OwnWrites;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Tells the listeners of the rows of a feed, with or without their documents. Used only by the feed's thread. */
final class FeedRows {
    private static final int ROWS_TO_STEP = 50;
    private static final int MOST_AT_ONCE = 200;

    private final CouchDatabase database;
    private final Audience audience;
    private final FeedPosition position;
    private final FeedPace pace;
    private final OwnWrites own;
    private final RowDocuments documents;
    /** Called for each row, which shows that the server is alive. */
    private final Runnable alive;

    FeedRows(
            CouchDatabase database,
            Audience audience,
            FeedPosition position,
            FeedPace pace,
            OwnWrites own,
            Runnable alive) {
        this.database = database;
        this.audience = audience;
        this.position = position;
        this.pace = pace;
        this.own = own;
        this.alive = alive;
        this.documents = new RowDocuments(database);
    }

    /** Tells the listeners of a row. If rows come without documents, also tells of the later rows that have arrived already. */
    void tell(Change first, ChangesFeed feed) {
        tellAll(pace.isLean() ? gather(first, feed) : List.of(first));
    }

    /**
     * Reads the next rows without documents, and each document on its own, because one of them cannot be read with its
     * document.
     */
    void stepOver() {
        ChangesRequest next = ChangesRequest.normal().since(position.seq()).limit(ROWS_TO_STEP);
        for (Change row : PastChanges.read(database, next)) {
            Change whole = documents.alone(row);
            tellWhole(new Change(row.seq(), row.id(), whole.revs(), whole.deleted(), whole.doc()));
        }
    }

    /** Returns the rows that have arrived already, only the last one of each document. */
    private static List<Change> gather(Change first, ChangesFeed feed) {
        Map<String, Change> rows = new LinkedHashMap<>();
        Optional<Change> next = Optional.of(first);
        for (int i = 1; next.isPresent(); i++) {
            rows.remove(next.get().id());
            rows.put(next.get().id(), next.get());
            next = i < MOST_AT_ONCE ? feed.next(Duration.ZERO) : Optional.empty();
        }
        return new ArrayList<>(rows.values());
    }

    /** Tells of rows in the order of the feed. If rows come without documents, reads the needed ones here. */
    private void tellAll(List<Change> rows) {
        List<FeedNotice> notices = rows.stream().map(this::notice).toList();
        List<Change> needed = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            boolean isNeeded = audience.needs(notices.get(i));
            pace.saw(isNeeded, notices.get(i).isOfMany());
            if (isNeeded) {
                needed.add(rows.get(i));
            }
        }
        if (!pace.isLean()) {
            rows.forEach(this::tellWhole);
            return;
        }
        Map<String, Change> read = needed.isEmpty() ? Map.of() : documents.read(needed);
        for (int i = 0; i < rows.size(); i++) {
            Change whole = read.get(rows.get(i).id());
            if (whole == null) {
                tellUnread(rows.get(i), notices.get(i));
            } else {
                tellWhole(whole);
            }
        }
    }

    private void tellWhole(Change change) {
        FeedEvent event = FeedEvent.of(change);
        tell(change, listener -> listener.changed(event));
    }

    private void tellUnread(Change change, FeedNotice notice) {
        tell(change, listener -> listener.unread(notice));
    }

    private void tell(Change change, Consumer<FeedListener> news) {
        alive.run();
        position.tell(change.seq(), news);
    }

    private FeedNotice notice(Change change) {
        boolean isOwn = change.revs().size() == 1
                && own.contain(change.id(), change.revs().get(0));
        return new FeedNotice(change.id(), change.revs(), change.deleted(), isOwn);
    }
}
