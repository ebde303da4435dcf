package io.couchjobs.engine.feed;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.DatabaseInfo;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.time.Environment;
import java.time.Duration;

/**
 * The pauses between readings without documents. While very many rows come and no listener needs each, the pauses are
 * long and the rows of a pause are skipped. Skipping costs the server one request, however many rows there are. Used
 * only by the feed's thread.
 */
final class FeedPauses {
    /** The shortest pause while very many rows come that concern no listener. */
    private static final Duration SHORTEST = Duration.ofMillis(100);
    /**
     * How many times as long as usual pauses are while rows are skipped. Rows are skipped only if each listener can
     * wait for {@link #SHORTEST}.
     */
    private static final int TIMES_AS_PATIENT = 5;

    private final CouchDatabase database;
    private final Audience audience;
    private final FeedPosition position;
    private final FeedPace pace;
    private final Environment environment;

    FeedPauses(CouchDatabase database, Audience audience, FeedPosition position, FeedPace pace) {
        this.database = database;
        this.audience = audience;
        this.position = position;
        this.pace = pace;
        this.environment = ServerAccess.environment(database.server());
    }

    /** Makes a pause. Returns false when the feed was closed meanwhile. */
    boolean make() {
        Duration patience = audience.patience();
        try {
            environment.pause(
                    maySkip() ? untilTheFleetLooks(patience.multipliedBy(TIMES_AS_PATIENT)) : least(patience));
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    private Duration least(Duration patience) {
        return pace.mayBeSkipped() && patience.compareTo(SHORTEST) < 0 ? SHORTEST : patience;
    }

    /**
     * Extends a pause to the next whole second. The server brings its index up to date for the first process that
     * looks, and all processes that look at the same time share this update.
     */
    private Duration untilTheFleetLooks(Duration pause) {
        long end = environment.instant().plus(pause).toEpochMilli();
        return pause.plusMillis(Math.floorMod(-end, 1_000L));
    }

    /** Skips the rows of the pause if there are many. Returns false when the rows must be read. */
    boolean skip() {
        if (!maySkip()) {
            return false;
        }
        DatabaseInfo now = database.info();
        long rows = now.changes() - DatabaseInfo.changes(position.seq());
        boolean isLittle = rows >= 0 && !pace.areMany(rows);
        if (isLittle || audience.needsEach()) {
            return false;
        }
        pace.skipped(Math.max(0, rows));
        position.skip(now);
        return true;
    }

    private boolean maySkip() {
        return pace.mayBeSkipped() && audience.patience().compareTo(SHORTEST) >= 0 && !audience.needsEach();
    }
}
