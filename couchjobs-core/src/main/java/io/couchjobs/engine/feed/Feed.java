package io.couchjobs.engine.feed;

import io.couchjobs.couch.Change;
import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.DatabaseInfo;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.store.Copies;
import io.couchjobs.engine.store.DataReader;
import io.couchjobs.engine.store.DatabaseIdentity;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.OwnWrites;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.Listening;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
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
 * read without documents, and needed ones are read by their ids. This is not done on a cluster, where a later reading
 * may be older than the row.
 *
 * <p>Events may come twice, late, or tell an old story, but none is left out. A document that cannot be read (longer
 * than 16 MiB, nested too deeply) comes without its content.
 *
 * <p>Not final, so that a simulation can deliver changes by other means.
 */
public class Feed implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Feed.class);
    private static final int ROWS_TO_STEP = 50;
    private static final int MOST_AT_ONCE = 200;
    /** Only one of so many rows without documents tells its position: a position costs the server time. */
    private static final int SEQ_INTERVAL = 20;

    private static final Duration LEAN_TICK = Duration.ofMillis(200);

    private final CouchDatabase database;
    private final RowDocuments documents;
    private final DataReader data;
    private final Copies copies;
    private final OwnWrites own;
    private final FeedPace pace;
    private final FeedTiming timing;
    private final DatabaseIdentity identity = new DatabaseIdentity();
    private final FeedWatchdog watchdog;
    private final Audience audience;
    private final Environment environment;
    private final Backoff backoff;
    private final Object starting = new Object();
    private volatile @Nullable Thread thread;
    private volatile @Nullable ChangesFeed connection;
    private volatile boolean closed;

    // The fields from here on belong to the feed's thread, once it runs.
    private String position = "0";
    private boolean again;
    private boolean switching;
    private boolean begins;
    private boolean positionLost;
    private boolean unreadableAhead;

    /**
     * Prepares a feed. No I/O.
     *
     * @param always hear of changes whenever the feed runs, before the others, and do not start it
     */
    public Feed(CouchDatabase database, FeedListener... always) {
        this(database, FeedTiming.DEFAULT, always);
    }

    /**
     * Prepares a feed that knows the writes of this process. No I/O.
     *
     * @param always hear of changes whenever the feed runs, before the others, and do not start it
     */
    public Feed(JobStore store, List<FeedListener> always) {
        this(
                store.database(),
                FeedTiming.DEFAULT,
                store.ownWrites(),
                new FeedPace(FeedPace.DEFAULT, store.environment().nanos()),
                always);
    }

    Feed(CouchDatabase database, FeedTiming timing, FeedListener... always) {
        this(
                database,
                timing,
                new OwnWrites(),
                new FeedPace(
                        FeedPace.DEFAULT,
                        ServerAccess.environment(database.server()).nanos()),
                List.of(always));
    }

    Feed(CouchDatabase database, FeedTiming timing, OwnWrites own, FeedPace pace, List<FeedListener> always) {
        this.audience = new Audience(always);
        this.database = database;
        this.environment = ServerAccess.environment(database.server());
        this.backoff = new Backoff(environment, Duration.ofMillis(100), Duration.ofSeconds(3));
        this.documents = new RowDocuments(database);
        this.copies = new Copies(database);
        this.data = new DataReader(database);
        this.own = own;
        this.pace = pace;
        this.timing = timing;
        this.watchdog = new FeedWatchdog(database, identity, timing.quiet(), timing.grace());
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
            DatabaseInfo info = database.info();
            identity.becomesOther(info);
            position = info.updateSeq();
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
            lookAgain();
        }
        again = true;
        switching = false;
        try (ChangesFeed feed = open()) {
            begins = true;
            watchdog.calm();
            lookWhetherMadeAnew();
            read(feed);
        } finally {
            connection = null;
        }
    }

    /** The connection may have reached a database that was made after the position was taken. */
    private void lookWhetherMadeAnew() {
        if (isMadeAnew(database.info())) {
            audience.tell(FeedListener::gap);
        }
    }

    private boolean isMadeAnew(DatabaseInfo now) {
        boolean other = identity.becomesOther(now);
        if (other) {
            log.warn("{} was deleted and made anew; all who listen look again", database.name());
        }
        return other;
    }

    private ChangesFeed open() {
        try {
            return pace.isLean()
                    ? openLean()
                    : open(request().includeDocs(true).conflicts(true).styleAllDocs(true));
        } catch (CouchException e) {
            positionLost |= FeedFailures.speakOfPosition(e);
            throw e;
        }
    }

    private ChangesFeed openLean() {
        try {
            return open(request().styleAllDocs(true).seqInterval(SEQ_INTERVAL));
        } catch (CouchException e) {
            if (e.status() / 100 != 4) {
                throw e;
            }
            log.debug("{} brings no feed without documents: {}", database.name(), e.toString());
            pace.stayWithDocuments();
            return open();
        }
    }

    private ChangesRequest request() {
        return ChangesRequest.continuous().since(position).heartbeat(timing.heartbeat());
    }

    private ChangesFeed open(ChangesRequest request) {
        ChangesFeed opened = database.changes(request);
        connection = opened;
        if (closed) {
            opened.close();
        }
        return opened;
    }

    private void read(ChangesFeed feed) {
        while (!closed && !feed.isEnded()) {
            Optional<Change> change = feed.next(tick());
            if (change.isPresent()) {
                dispatchAll(pace.isLean() ? gather(change.get(), feed) : List.of(change.get()));
            } else if (!Thread.interrupted() && !feed.isEnded()) {
                backoff.reset();
                if (audience.listens() && watchdog.wantsReplacement(position)) {
                    log.warn(
                            "the feed of {} does not bring the changes that there are (its last sign of life came {} ago); it is"
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
        position = feed.lastSeq();
    }

    private Duration tick() {
        return pace.isLean() && LEAN_TICK.compareTo(timing.tick()) < 0 ? LEAN_TICK : timing.tick();
    }

    /** The changes that are here already, only the last of each document. */
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

    /** Whether the connection is to be opened anew, with documents or without them. It goes on from where this one is. */
    private boolean switchesOver() {
        if (!pace.wantsSwitch(environment.nanos())) {
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
            positionLost |= FeedFailures.isGone(answer);
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

    /** After an interruption: checks the position, and tells the listeners to look again. */
    private void lookAgain() {
        DatabaseInfo info = database.info();
        String now = info.updateSeq();
        boolean other = isMadeAnew(info);
        boolean lost = positionLost || FeedWatchdog.isBehind(info, position);
        if (lost) {
            if (!now.equals(position)) {
                log.warn(
                        "{} does not know position {} any more; its feed goes on from {}, and all who listen look again",
                        database.name(),
                        position,
                        now);
            }
            position = now;
            positionLost = false;
        }
        audience.tell(lost || other ? FeedListener::gap : FeedListener::reconnected);
        if (unreadableAhead) {
            stepOver();
            unreadableAhead = false;
        }
    }

    /** One of the next rows cannot be read with its document: they are read without, and each document on its own. */
    private void stepOver() {
        ChangesRequest next = ChangesRequest.normal().since(position).limit(ROWS_TO_STEP);
        for (Change row : FeedWatchdog.read(database, next)) {
            Change whole = row.deleted() ? row : documents.alone(row);
            dispatch(new Change(row.seq(), row.id(), whole.revs(), whole.deleted(), whole.doc()));
        }
    }

    /** Dispatches rows in the order of the feed; without documents in the rows, the needed ones are read here. */
    private void dispatchAll(List<Change> rows) {
        List<Change> needed = new ArrayList<>();
        for (Change row : rows) {
            boolean isNeeded = audience.needs(notice(row));
            pace.saw(isNeeded);
            if (isNeeded) {
                needed.add(row);
            }
        }
        if (!pace.isLean()) {
            rows.forEach(this::dispatch);
            return;
        }
        Map<String, Change> read = needed.isEmpty() ? Map.of() : documents.read(needed);
        for (Change row : rows) {
            Change whole = read.get(row.id());
            if (whole == null) {
                dispatchUnread(row);
            } else {
                dispatch(whole);
            }
        }
    }

    private void dispatch(Change change) {
        FeedEvent event = FeedEvent.of(change, data::lazily);
        tellAll(change, listener -> listener.changed(event));
    }

    private void dispatchUnread(Change change) {
        FeedNotice notice = notice(change);
        tellAll(change, listener -> listener.unread(notice));
    }

    private void tellAll(Change change, Consumer<FeedListener> news) {
        backoff.reset();
        watchdog.calm();
        if (!change.seq().equals(position)) {
            lookAgainUnlessAfterPosition(change.seq());
            begins = false;
        }
        audience.tell(news);
        position = change.seq();
    }

    /**
     * A server that does not know a position begins with the first change it has, in each of its shards: the database
     * was recreated after the check of the position, and before the connection was made. On a cluster the next number
     * may be lower at any time, when another copy sends it, so only the first one counts there.
     */
    private void lookAgainUnlessAfterPosition(String seq) {
        if (DatabaseInfo.changes(seq) > DatabaseInfo.changes(position)) {
            return;
        }
        if (!copies.areSeveral()) {
            log.warn("{} is not what it was at {}; its feed goes on from {}", database.name(), position, seq);
            audience.tell(FeedListener::gap);
        } else if (begins) {
            audience.tell(FeedListener::reconnected);
        }
    }

    private FeedNotice notice(Change change) {
        boolean isOwn = change.revs().size() == 1
                && own.contain(change.id(), change.revs().get(0));
        return new FeedNotice(change.id(), change.revs(), change.deleted(), isOwn);
    }
}
