package io.couchjobs.engine.feed;

import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.DatabaseInfo;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.store.DatabaseIdentity;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects a connection that shows signs of life but brings no changes any more. Used only by the feed's thread. Asks
 * the server in a lane of its own, so that a slow answer delays nothing else.
 */
final class FeedWatchdog {
    private static final Logger log = LoggerFactory.getLogger(FeedWatchdog.class);

    private final CouchDatabase database;
    private final DatabaseIdentity identity;
    private final Duration quiet;
    private final Duration grace;
    private final Environment environment;
    private final Lane lane;
    private long lastSignNanos;
    private volatile boolean asking;
    private volatile @Nullable Finding finding;

    /** A moment at which the server had news beyond a position. */
    private record Finding(String position, long nanos) {}

    FeedWatchdog(CouchDatabase database, DatabaseIdentity identity, Duration quiet, Duration grace) {
        this.database = database;
        this.identity = identity;
        this.quiet = quiet;
        this.grace = grace;
        this.environment = ServerAccess.environment(database.server());
        this.lane = environment.lane("couchjobs-feed-watchdog", 1);
        this.lastSignNanos = environment.nanos();
    }

    /** Notes that a change came, or that a new connection was made. */
    void calm() {
        lastSignNanos = environment.nanos();
        finding = null;
    }

    /** Returns whether the server has news that the connection did not bring within the grace period. */
    boolean wantsReplacement(String position) {
        long now = environment.nanos();
        Finding found = finding;
        if (found != null && found.position.equals(position)) {
            return now - found.nanos >= grace.toNanos();
        }
        if (!asking && now - lastSignNanos >= quiet.toNanos()) {
            lastSignNanos = now;
            ask(position);
        }
        return false;
    }

    /**
     * Returns whether a database was recreated, or restored from an older state, since it had a position. On a cluster
     * the numbers tell nothing: each copy counts its own changes, and different copies may have been asked.
     */
    static boolean isBehind(DatabaseInfo now, String position) {
        return now.copies() == 1 && now.changes() < DatabaseInfo.changes(position);
    }

    private void ask(String position) {
        asking = true;
        lane.execute(() -> look(position));
    }

    private void look(String position) {
        try {
            if (hasNews(position)) {
                finding = new Finding(position, environment.nanos());
            }
        } catch (RuntimeException | Error e) {
            cannotTell(e);
        } finally {
            asking = false;
        }
    }

    private void cannotTell(Throwable trouble) {
        log.debug("it cannot be told now whether the feed of {} misses something", database.name(), trouble);
    }

    /**
     * Returns whether the server has news beyond a position. A recreated database is news, and so is a position that
     * the database does not know or that lies ahead of it.
     */
    private boolean hasNews(String position) {
        try {
            DatabaseInfo info = database.info();
            return identity.isOther(info)
                    || isBehind(info, position)
                    || !PastChanges.read(
                                    database,
                                    ChangesRequest.normal().since(position).limit(1))
                            .isEmpty();
        } catch (CouchException e) {
            if (e.status() == 400 || e.status() == 404) {
                return true;
            }
            throw e;
        }
    }
}
