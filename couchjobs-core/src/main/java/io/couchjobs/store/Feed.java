package io.couchjobs.store;

import io.couchjobs.couch.Change;
import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchNotFoundException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one {@code _changes} feed of a process on a database, shared by all who listen. Thread-safe.
 *
 * <p>It starts with the first listener and lives until it is closed: a broken or silent connection is replaced, from the
 * last position. Events may come twice or late, never not at all; when the position is lost (the database was deleted and
 * made anew), listeners are told that they may have missed something.
 */
public final class Feed implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Feed.class);
    private static final Duration HEARTBEAT = Duration.ofSeconds(10);
    private static final Duration PATIENCE = HEARTBEAT.multipliedBy(3);

    private final CouchDatabase database;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final List<Listener> alwaysTold = new CopyOnWriteArrayList<>();
    private @Nullable Thread thread;
    private @Nullable ChangesFeed connection;
    private boolean closed;
    /** Only the feed's thread uses it. */
    private String position = "0";

    private boolean positionLost;

    /**
     * Prepares a feed. No I/O.
     *
     * @param database the database
     */
    public Feed(CouchDatabase database) {
        this.database = database;
    }

    /**
     * Listens to all that changes after this call.
     *
     * @param listener called on the feed's thread: must be quick
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
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
            if (connection != null) {
                connection.close();
            }
        }
        if (running != null) {
            running.interrupt();
        }
    }

    /** The position is taken before this returns, so whoever then looks and finds nothing misses nothing later. */
    private synchronized void start() {
        if (thread == null && !closed) {
            String since = database.currentSeq();
            position = since;
            // They may have remembered something before there was a feed to correct it.
            alwaysTold.forEach(Listener::gap);
            Thread started = new Thread(() -> follow(since), "couchjobs-feed");
            started.setDaemon(true);
            started.start();
            thread = started;
        }
    }

    private void follow(String start) {
        String since = start;
        Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
        while (!isClosed()) {
            try {
                since = read(since, backoff);
            } catch (RuntimeException | Error e) {
                if (!isClosed()) {
                    since = recover(e, backoff);
                }
            } catch (InterruptedException e) {
                log.debug("the feed of {} ends", database.name());
            }
        }
    }

    /** Reads until the connection ends; returns the position to go on from. */
    private String read(String since, Backoff backoff) throws InterruptedException {
        try (ChangesFeed feed = open(since)) {
            position = since;
            while (!isClosed() && !feed.isEnded()) {
                Optional<Change> change = feed.next(PATIENCE);
                if (change.isPresent()) {
                    backoff.reset();
                    dispatch(change.get());
                    position = change.get().seq();
                } else if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
            position = feed.lastSeq();
        }
        if (!isClosed()) {
            log.debug("the feed of {} ended at {}; connecting again", database.name(), position);
            backoff.pause();
        }
        return position;
    }

    private synchronized ChangesFeed open(String since) {
        ChangesFeed opened = database.changes(
                ChangesRequest.continuous().since(since).heartbeat(HEARTBEAT).includeDocs(true));
        connection = opened;
        return opened;
    }

    /** A broken connection goes on from the last position; when the database was gone, the position means nothing. */
    private String recover(Throwable trouble, Backoff backoff) {
        if (backoff.attempts() == 0) {
            log.warn("the feed of {} broke, connecting again until it works: {}", database.name(), trouble.toString());
        }
        positionLost |= trouble instanceof CouchNotFoundException;
        try {
            backoff.pause();
            if (positionLost) {
                position = database.currentSeq();
                positionLost = false;
                alwaysTold.forEach(Listener::gap);
                listeners.forEach(Listener::gap);
            }
        } catch (InterruptedException e) {
            log.debug("the feed of {} ends", database.name());
        } catch (RuntimeException stillAway) {
            log.debug("the database {} is still away: {}", database.name(), stillAway.toString());
        }
        return position;
    }

    private void dispatch(Change change) {
        FeedEvent event = new FeedEvent(
                change.id(), change.revs().isEmpty() ? "" : change.revs().get(0), change.deleted(), change.doc());
        alwaysTold.forEach(listener -> tell(listener, event));
        listeners.forEach(listener -> tell(listener, event));
    }

    private static void tell(Listener listener, FeedEvent event) {
        try {
            listener.changed(event);
        } catch (RuntimeException | Error e) {
            log.error("a listener failed on {}; it will hear of later changes", event.docId(), e);
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Hears of changes. */
    public interface Listener {
        /**
         * A document changed. May come twice, or late.
         *
         * @param event what changed
         */
        void changed(FeedEvent event);

        /** The position was lost: changes may have been missed, so look again. */
        default void gap() {}
    }

    /** An end of listening. */
    @FunctionalInterface
    public interface Listening extends AutoCloseable {
        @Override
        void close();
    }
}
