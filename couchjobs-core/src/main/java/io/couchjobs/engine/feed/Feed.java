package io.couchjobs.engine.feed;

import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.store.Copies;
import io.couchjobs.engine.store.DatabaseIdentity;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.OwnWrites;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.Listening;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one {@code _changes} feed of a process on a database, shared by all listeners. Thread-safe.
 *
 * <p>It starts with the first listener and lives until it is closed. A connection is replaced when it breaks, when it
 * is silent for three heartbeats (10 s each), and when it gives signs of life but does not bring the server's changes.
 * After 5 minutes without a change the server is asked whether it has one. The new connection, to another node of a
 * cluster when several are known, goes on from the last position, and listeners are told of a {@linkplain
 * FeedListener#gap() gap}: the server may have changed in unknown ways meanwhile, and another node honours a position only
 * roughly. When the server does not know a position any more (the database was deleted and recreated, or restored from
 * an older state), the feed goes on from the present one. No other refusal is a reason for that, however often it
 * comes. CouchDB takes the position of a former database of the same name and begins again with the first change. So
 * the feed also compares the database's time of creation; another database is a gap, too.
 *
 * <p>While very many changes come whose documents no listener {@linkplain FeedListener#needsDocument needs}, the feed is
 * read without documents and in {@linkplain FeedListener#patience pauses}: that costs the server less than half per
 * change, and a document that changed several times in a pause comes once. Needed documents are read by their ids. This
 * is not done on a cluster, where a later reading may be older than the row.
 *
 * <p>In a fleet, rows are skipped while not one of very many is of a job that concerns a listener, and none {@linkplain
 * FeedListener#needsEach needs} each: after pauses five times as long, the feed goes on from the database's present
 * position, and all {@linkplain FeedListener#skipped look} for what concerns them.
 *
 * <p>Events may come twice or late, or report an older state, but no event that a listener needs is left out. A document
 * that cannot be read (longer than 16 MiB, nested too deeply) comes without its content.
 */
public final class Feed implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Feed.class);
    /** Only one of so many rows without documents tells its position: a position costs the server time. */
    private static final int SEQ_INTERVAL = 200;
    /** So many readings without documents go by until the server is asked whether the database is still the same. */
    private static final int READINGS = 50;

    private final CouchDatabase database;
    private final Copies copies;
    private final FeedPace pace;
    private final FeedTiming timing;
    private final FeedWatchdog watchdog;
    private final Audience audience;
    private final FeedPosition position;
    private final FeedRows rows;
    private final FeedPauses pauses;
    private final Environment environment;
    private final Backoff backoff;
    private final Object starting = new Object();
    private volatile @Nullable Thread thread;
    private volatile @Nullable ChangesFeed connection;
    private volatile boolean closed;

    // The fields from here on belong to the feed's thread, once it runs.
    private boolean again;
    private boolean switching;
    private boolean unreadableAhead;

    /**
     * Prepares a feed that knows the writes of this process. No I/O.
     *
     * @param always hear of changes whenever the feed runs, before the others, and do not start it
     */
    public Feed(JobStore store, List<FeedListener> always) {
        this(
                store.database(),
                FeedTiming.DEFAULT,
                store.writer().ownWrites(),
                new FeedPace(FeedPace.DEFAULT, store.environment().nanos()),
                always);
    }

    Feed(CouchDatabase database, FeedTiming timing, OwnWrites own, FeedPace pace, List<FeedListener> always) {
        this.audience = new Audience(always);
        this.database = database;
        this.environment = ServerAccess.environment(database.server());
        this.backoff = new Backoff(environment, Duration.ofMillis(100), Duration.ofSeconds(3));
        this.copies = new Copies(database);
        this.pace = pace;
        this.timing = timing;
        DatabaseIdentity identity = new DatabaseIdentity();
        this.watchdog = new FeedWatchdog(database, identity, timing.quiet(), timing.grace());
        this.position = new FeedPosition(database, identity, copies, audience);
        this.rows = new FeedRows(database, audience, position, pace, own, this::isAlive);
        this.pauses = new FeedPauses(database, audience, position, pace);
    }

    /**
     * Listens to all that changes after this call.
     *
     * @param listener called on the feed's thread: must be quick, and must never wait
     * @return ends the listening when closed
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be reached to find the position
     */
    public Listening listen(FeedListener listener) {
        audience.add(listener);
        try {
            start();
        } catch (RuntimeException | Error e) {
            audience.remove(listener);
            throw e;
        }
        return () -> audience.remove(listener);
    }

    @Override
    public void close() {
        closed = true;
        ChangesFeed open = connection;
        if (open != null) {
            open.close();
        }
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }

    /**
     * The position is taken before this returns, so a caller that then looks and finds nothing misses no later change.
     */
    private void start() {
        synchronized (starting) {
            if (closed) {
                throw new IllegalStateException("the queue is closed");
            }
            if (thread != null) {
                return;
            }
            position.begin();
            // They may have remembered a state before there was a feed to correct it.
            audience.tellAlways(FeedListener::gap);
            Thread started = environment.thread("couchjobs-feed", this::follow);
            started.start();
            thread = started;
        }
    }

    private void follow() {
        while (!closed) {
            try {
                connectAndRead();
            } catch (RuntimeException | Error e) {
                broke(e);
            }
            if (!switching) {
                pause();
            }
        }
        log.debug("the feed of {} ends", database.name());
    }

    private void connectAndRead() {
        if (again && !switching) {
            position.check();
            stepOverUnreadable();
        }
        again = true;
        switching = false;
        if (pace.isLean()) {
            readInPauses();
        } else {
            readAll(request().includeDocs(true).conflicts(true).styleAllDocs(true), true);
        }
    }

    private void readInPauses() {
        for (int reading = 0; !closed && pace.isLean() && (reading == 0 || pauses.make()); reading++) {
            try {
                readOrSkip(reading % READINGS == 0);
            } catch (CouchException e) {
                if (!FeedFailures.speakOfRequest(e)) {
                    throw e;
                }
                log.debug("{} brings no feed without documents: {}", database.name(), e.toString());
                pace.stayWithDocuments();
                switching = true;
            }
            if (pace.isLean()) {
                var unused = switchesOver();
            }
        }
    }

    private void readOrSkip(boolean isNew) {
        if (pauses.skip()) {
            isAlive();
            return;
        }
        ChangesRequest next =
                ChangesRequest.normal().since(position.seq()).styleAllDocs(true).seqInterval(SEQ_INTERVAL);
        readAll(next, isNew);
    }

    private void readAll(ChangesRequest request, boolean isNew) {
        try (ChangesFeed feed = open(request)) {
            watchdog.calm();
            if (isNew) {
                position.connected();
            }
            read(feed);
        } finally {
            connection = null;
        }
    }

    private void stepOverUnreadable() {
        if (unreadableAhead) {
            rows.stepOver();
            unreadableAhead = false;
        }
    }

    private ChangesRequest request() {
        return ChangesRequest.continuous().since(position.seq()).heartbeat(timing.heartbeat());
    }

    private ChangesFeed open(ChangesRequest request) {
        ChangesFeed opened;
        try {
            opened = database.changes(request);
        } catch (CouchException e) {
            position.answered(e);
            throw e;
        }
        connection = opened;
        if (closed) {
            opened.close();
        }
        return opened;
    }

    private void read(ChangesFeed feed) {
        while (!closed && !feed.isEnded()) {
            Optional<Change> change = feed.next(timing.tick());
            if (change.isPresent()) {
                rows.tell(change.get(), feed);
            } else if (!Thread.interrupted() && !feed.isEnded()) {
                backoff.reset();
                if (audience.listens() && watchdog.wantsReplacement(position.seq())) {
                    log.warn(
                            "the feed of {} misses changes that the database has (its last sign of life came {} ago); it is"
                                    + " replaced",
                            database.name(),
                            Duration.ofNanos(environment.nanos() - feed.lastSignOfLife()));
                    feed.abandon();
                    return;
                }
            }
            if (!feed.isEnded() && switchesOver()) {
                return;
            }
        }
        position.ended(feed.lastSeq());
    }

    /** Whether the connection is to be opened anew, with documents or without them. It goes on from where this one is. */
    private boolean switchesOver() {
        if (!pace.wantsSwitch(environment.nanos(), audience.patience())) {
            return false;
        }
        if (!pace.isLean() && copies.areSeveral()) {
            pace.stayWithDocuments();
            return false;
        }
        pace.switchOver(environment.nanos());
        log.debug("the feed of {} goes on {} documents", database.name(), pace.isLean() ? "without" : "with");
        switching = true;
        return true;
    }

    private void isAlive() {
        backoff.reset();
        watchdog.calm();
    }

    private void broke(Throwable trouble) {
        if (closed) {
            return;
        }
        pace.reset(environment.nanos());
        if (backoff.attempts() == 0) {
            log.warn(
                    "the feed of {} broke, connecting again until it works: {}",
                    database.name(),
                    FeedFailures.inWords(trouble));
        } else {
            log.debug("the feed of {} is still broken: {}", database.name(), trouble.toString());
        }
        if (trouble instanceof CouchException answer) {
            position.broke(answer);
            unreadableAhead |= answer.status() / 100 == 2;
        }
    }

    private void pause() {
        try {
            if (!closed) {
                backoff.pause();
            }
        } catch (InterruptedException e) {
            log.debug("the feed of {} was interrupted", database.name());
        }
    }
}
