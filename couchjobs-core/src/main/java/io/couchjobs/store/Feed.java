package io.couchjobs.store;

import io.couchjobs.couch.Change;
import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchException;
import io.couchjobs.couch.DatabaseInfo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one {@code _changes} feed of a process on a database, shared by all who listen. Thread-safe.
 *
 * <p>It starts with the first listener and lives until it is closed. A connection is replaced when it breaks, when it is
 * silent for three heartbeats (10 s each), and when it gives signs of life but does not bring what the server has: that is
 * asked when nothing came for 5 minutes. The new one, to another node of a cluster when several are known, goes on from the
 * last position, and listeners are told of a {@linkplain Listener#gap() gap}: nobody can know what the server went through
 * meanwhile, and another node honours a position only roughly. A position that the server does not know any
 * more (the database was deleted and made anew, or restored from an older state) is given up for the present one.
 *
 * <p>Events may come twice, late, or tell an old story; never not at all. A document that cannot be read (longer than 16 MiB,
 * nested too deeply) comes without its content.
 *
 * <p>Not final, so that a simulation can bring what changes by other means.
 */
public class Feed implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Feed.class);
    private static final int ROWS_TO_STEP = 50;
    private static final int MOST_REFUSALS = 3;

    private final CouchDatabase database;
    private final Timing timing;
    private final FeedWatchdog watchdog;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final List<Listener> alwaysTold = new CopyOnWriteArrayList<>();
    private final Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
    private final Object starting = new Object();
    private volatile @Nullable Thread thread;
    private volatile @Nullable ChangesFeed connection;
    private volatile boolean closed;

    // From here on for the feed's thread only, once it runs.
    private String position = "0";
    private boolean again;
    private boolean positionLost;
    private boolean unreadableAhead;
    private int refusals;

    /**
     * Prepares a feed. No I/O.
     *
     * @param database the database
     */
    public Feed(CouchDatabase database) {
        this(database, Timing.DEFAULT);
    }

    Feed(CouchDatabase database, Timing timing) {
        this.database = database;
        this.timing = timing;
        this.watchdog = new FeedWatchdog(database, timing.quiet, timing.grace);
    }

    /**
     * Listens to all that changes after this call.
     *
     * @param listener called on the feed's thread: must be quick, and never waits for anything
     * @return ends the listening when closed
     * @throws io.couchjobs.couch.CouchException when the database cannot be reached to find the position
     */
    public Listening listen(Listener listener) {
        listeners.add(listener);
        try {
            start();
        } catch (RuntimeException e) {
            listeners.remove(listener);
            throw e;
        }
        return () -> listeners.remove(listener);
    }

    /**
     * Lets somebody hear of changes whenever the feed runs, without starting it.
     *
     * @param listener called before those that listen
     */
    public void alwaysTell(Listener listener) {
        alwaysTold.add(listener);
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

    /** The position is taken before this returns, so whoever then looks and finds nothing misses nothing later. */
    private void start() {
        synchronized (starting) {
            if (thread != null || closed) {
                return;
            }
            position = database.currentSeq();
            // They may have remembered something before there was a feed to correct it.
            alwaysTold.forEach(listener -> tell(listener, Listener::gap));
            Thread started = new Thread(this::follow, "couchjobs-feed");
            started.setDaemon(true);
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
            pause();
        }
        log.debug("the feed of {} ends", database.name());
    }

    private void connectAndRead() {
        if (again) {
            lookAgain();
        }
        again = true;
        try (ChangesFeed feed = open()) {
            refusals = 0;
            watchdog.calm();
            read(feed);
        } finally {
            connection = null;
        }
    }

    private ChangesFeed open() {
        try {
            ChangesFeed opened = database.changes(ChangesRequest.continuous()
                    .since(position)
                    .heartbeat(timing.heartbeat)
                    .includeDocs(true)
                    .conflicts(true));
            connection = opened;
            if (closed) {
                opened.close();
            }
            return opened;
        } catch (CouchException e) {
            refusals += e.status() >= 400 ? 1 : 0;
            positionLost |= e.status() == 400 || refusals >= MOST_REFUSALS;
            throw e;
        }
    }

    private void read(ChangesFeed feed) {
        while (!closed && !feed.isEnded()) {
            Optional<Change> change = feed.next(timing.tick());
            if (change.isPresent()) {
                dispatch(change.get());
            } else if (!Thread.interrupted() && !feed.isEnded()) {
                backoff.reset();
                if (!listeners.isEmpty() && watchdog.wantsReplacement(position)) {
                    log.warn(
                            "the feed of {} gives signs of life but does not bring changes; it is replaced",
                            database.name());
                    feed.abandon();
                    return;
                }
            }
        }
        position = feed.lastSeq();
    }

    private void broke(Throwable trouble) {
        if (closed) {
            return;
        }
        if (backoff.attempts() == 0) {
            log.warn("the feed of {} broke, connecting again until it works: {}", database.name(), inWords(trouble));
        } else {
            log.debug("the feed of {} is still broken: {}", database.name(), trouble.toString());
        }
        if (trouble instanceof CouchException answer) {
            positionLost |= answer.status() == 404;
            unreadableAhead |= answer.status() / 100 == 2;
        }
    }

    private static String inWords(Throwable trouble) {
        return trouble instanceof CouchException answer ? String.valueOf(answer.getMessage()) : trouble.toString();
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

    /** After an interruption: is the position still good, and who knows what happened meanwhile. */
    private void lookAgain() {
        DatabaseInfo info = database.info();
        String now = info.updateSeq();
        boolean lost = positionLost || FeedWatchdog.isBehind(info, position);
        if (lost) {
            if (!now.equals(position)) {
                log.warn("{} is not what it was at {}; its feed goes on from {}", database.name(), position, now);
            }
            position = now;
            positionLost = false;
            refusals = 0;
        }
        Consumer<Listener> news = lost ? Listener::gap : Listener::reconnected;
        alwaysTold.forEach(listener -> tell(listener, news));
        listeners.forEach(listener -> tell(listener, news));
        if (unreadableAhead) {
            stepOver();
            unreadableAhead = false;
        }
    }

    /** One of the next rows cannot be read with its document: they are read without, and each document on its own. */
    private void stepOver() {
        ChangesRequest next = ChangesRequest.normal().since(position).limit(ROWS_TO_STEP);
        for (Change row : FeedWatchdog.read(database, next)) {
            Change whole = row.deleted() ? row : withDocument(row);
            dispatch(new Change(row.seq(), row.id(), whole.revs(), whole.deleted(), whole.doc()));
        }
    }

    private Change withDocument(Change row) {
        ChangesRequest document = ChangesRequest.normal()
                .docIds(List.of(row.id()))
                .includeDocs(true)
                .conflicts(true);
        try {
            return FeedWatchdog.read(database, document).stream().findFirst().orElse(row);
        } catch (CouchException e) {
            if (e.status() / 100 != 2) {
                throw e;
            }
            log.warn("{} cannot be read by the feed, which goes on without it: {}", row.id(), e.getMessage());
            return row;
        }
    }

    private void dispatch(Change change) {
        backoff.reset();
        watchdog.calm();
        FeedEvent event = FeedEvent.of(change);
        alwaysTold.forEach(listener -> tell(listener, told -> told.changed(event)));
        listeners.forEach(listener -> tell(listener, told -> told.changed(event)));
        position = change.seq();
    }

    private static void tell(Listener listener, Consumer<Listener> news) {
        try {
            news.accept(listener);
        } catch (RuntimeException | Error e) {
            log.error("a listener of the feed failed; it will hear of later changes", e);
        }
    }

    /** Hears of changes. */
    public interface Listener {
        /**
         * A document changed. May come twice, late, or tell an old story.
         *
         * @param event what changed
         */
        void changed(FeedEvent event);

        /** The position was lost: nothing that was heard before is certain any more, so look again. */
        default void gap() {}

        /** The connection was replaced and goes on from its position; whoever wants to be sure looks again. */
        default void reconnected() {
            gap();
        }
    }

    /** An end of listening. */
    @FunctionalInterface
    public interface Listening extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * How patient a feed is.
     *
     * @param heartbeat after three of them without a byte a connection is replaced
     * @param quiet how long nothing may come before the server is asked whether it has something
     * @param grace how long a connection may take to bring that
     */
    record Timing(Duration heartbeat, Duration quiet, Duration grace) {
        static final Timing DEFAULT = new Timing(Duration.ofSeconds(10), Duration.ofMinutes(5), Duration.ofSeconds(5));

        private Duration tick() {
            return grace.compareTo(quiet) < 0 ? grace : quiet;
        }
    }
}
