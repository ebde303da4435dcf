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
 * <p>The feed starts with the first listener and runs until it is closed. It replaces a connection that breaks, that is
 * silent for three heartbeats (10 s each), or that shows signs of life but does not bring the server's changes. After 5
 * minutes without a change it asks the server whether there is one. The new connection continues from the last position, on
 * another node of a cluster when several are known. Listeners are told of a {@linkplain FeedListener#reconnected()
 * reconnection}, which by default counts as a {@linkplain FeedListener#gap() gap}. The server may have changed in unknown
 * ways meanwhile, and another node honours a position only roughly.
 *
 * <p>A server does not know a position any more when the database was deleted and recreated, or restored from an older
 * state. Then the feed continues from the database's present position. No other refusal has this effect, however often it
 * comes. CouchDB does not refuse the position of a former database of the same name, but begins again with the first
 * change. So the feed also compares the database's time of creation. Another database counts as a gap, too.
 *
 * <p>While very many changes come whose documents no listener {@linkplain FeedListener#needsDocument needs}, the feed is
 * read without documents and with {@linkplain FeedListener#patience pauses}. This costs the server less than half per
 * change, and a document that changed several times in a pause comes once. The documents that listeners need are read by
 * their ids. On a cluster the feed always reads documents, because a later reading may be older than the row.
 *
 * <p>In a fleet the feed skips rows while very many come, none of them is of a job that concerns a listener, and no
 * listener {@linkplain FeedListener#needsEach needs each}. After pauses five times as long, it continues from the
 * database's present position, and all listeners {@linkplain FeedListener#skipped look} for changes that concern them.
 *
 * <p>Events may come twice or late, or report an older state, but no event that a listener needs is left out. A document
 * that cannot be read (longer than 16 MiB, nested too deeply) comes without its content.
 */
public final class Feed implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Feed.class);
    /** Only one row in this many carries its position when rows come without documents: a position costs the server time. */
    private static final int SEQ_INTERVAL = 200;
    /** The number of readings without documents per check that the database is still the same. */
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

    // Once the feed's thread runs, only that thread uses the fields below.
    private boolean again;
    private boolean switching;
    private boolean unreadableAhead;

    /**
     * Prepares a feed that knows the writes of this process. Does no I/O.
     *
     * @param always permanent listeners, which hear of changes before the others and do not start the feed
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
     * Adds a listener, which hears of every change made after this call.
     *
     * @param listener called on the feed's thread: must be quick, and must never wait
     * @return removes the listener when closed
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
     * Starts the feed's thread unless it runs. Takes the position first, so a caller that looks afterwards and finds
     * nothing misses no later change.
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
            // The permanent listeners may remember a state from before the feed ran.
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

    /**
     * Switches between reading with and without documents when it is time. Returns whether the connection must be
     * reopened, which then continues from the present position.
     */
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
