package io.couchjobs.engine.feed;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.DatabaseInfo;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.store.Copies;
import io.couchjobs.engine.store.DatabaseIdentity;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The position of a feed: the last change that its listeners heard of. Tells the listeners to look again when the
 * database does not know this position any more, or is another one of the same name. Not thread-safe.
 */
final class FeedPosition {
    private static final Logger log = LoggerFactory.getLogger(FeedPosition.class);

    private final CouchDatabase database;
    private final DatabaseIdentity identity;
    private final Copies copies;
    private final Audience audience;
    private String seq = "0";
    private boolean lost;
    /** Whether the next change is the first one of its connection. */
    private boolean begins;

    FeedPosition(CouchDatabase database, DatabaseIdentity identity, Copies copies, Audience audience) {
        this.database = database;
        this.identity = identity;
        this.copies = copies;
        this.audience = audience;
    }

    String seq() {
        return seq;
    }

    /** Takes the present position of the database. */
    void begin() {
        DatabaseInfo info = database.info();
        identity.becomesOther(info);
        seq = info.updateSeq();
    }

    /** Notes that the server refused the request for the feed, perhaps because of the position. */
    void answered(CouchException trouble) {
        lost |= FeedFailures.speakOfPosition(trouble);
    }

    /** Notes that the feed broke. The database may be gone. */
    void broke(CouchException trouble) {
        lost |= FeedFailures.isGone(trouble);
    }

    /** Notes that a connection was made. It may have reached a database that was created after the position was taken. */
    void connected() {
        begins = true;
        if (isMadeAnew(database.info())) {
            audience.tell(FeedListener::gap);
        }
    }

    /**
     * Continues from a later position. Tells the listeners that changes were skipped, or of a gap when the database is
     * another one.
     */
    void skip(DatabaseInfo now) {
        boolean isOther = isMadeAnew(now) || FeedWatchdog.isBehind(now, seq);
        seq = now.updateSeq();
        audience.tell(isOther ? FeedListener::gap : FeedListener::skipped);
    }

    /** Notes that a connection ended and all of its changes were told. */
    void ended(String lastSeq) {
        seq = lastSeq;
    }

    /** Checks the position after an interruption, and tells the listeners to look again. */
    void check() {
        DatabaseInfo info = database.info();
        boolean isOther = isMadeAnew(info);
        boolean isLost = lost || FeedWatchdog.isBehind(info, seq);
        if (isLost) {
            goOnFrom(info.updateSeq());
        }
        audience.tell(isLost || isOther ? FeedListener::gap : FeedListener::reconnected);
    }

    private void goOnFrom(String now) {
        if (!now.equals(seq)) {
            log.warn(
                    "{} does not know position {} any more; its feed goes on from {}; subscribers and workers read everything again",
                    database.name(),
                    seq,
                    now);
        }
        seq = now;
        lost = false;
    }

    /**
     * Tells the listeners of the next change. A server that does not know a position begins with the first change of
     * each of its shards. This happens when the database was recreated after the check of the position and before the
     * connection was made. On a cluster the next number may be lower at any time, because another copy sends it. So
     * only the first change of a connection counts there.
     */
    void tell(String next, Consumer<FeedListener> news) {
        if (!next.equals(seq)) {
            if (DatabaseInfo.changes(next) <= DatabaseInfo.changes(seq)) {
                lookAgain(next);
            }
            begins = false;
        }
        audience.tell(news);
        seq = next;
    }

    private void lookAgain(String next) {
        if (!copies.areSeveral()) {
            log.warn("{} is not what it was at {}; its feed goes on from {}", database.name(), seq, next);
            audience.tell(FeedListener::gap);
        } else if (begins) {
            audience.tell(FeedListener::reconnected);
        }
    }

    private boolean isMadeAnew(DatabaseInfo now) {
        boolean isOther = identity.becomesOther(now);
        if (isOther) {
            log.warn("{} was deleted and made anew; subscribers and workers read everything again", database.name());
        }
        return isOther;
    }
}
