package io.couchjobs.engine.feed;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.job.Listening;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A feed that a simulation brings the changes to. */
public final class SimulatedFeed extends Feed {
    private final List<FeedListener> listeners = new CopyOnWriteArrayList<>();
    private final Runnable start;
    private boolean started;

    /**
     * Has no listeners but some that are always told.
     *
     * @param start begins to bring changes; what is written after it returns must come
     */
    public SimulatedFeed(CouchDatabase database, Runnable start, FeedListener... always) {
        super(database);
        this.start = start;
        listeners.addAll(List.of(always));
    }

    @Override
    public Listening listen(FeedListener listener) {
        listeners.add(listener);
        if (!started) {
            started = true;
            begin(listener);
            listeners.forEach(FeedListener::gap);
        }
        return () -> listeners.remove(listener);
    }

    /** Where the database is away, the next one who listens tries again. */
    private void begin(FeedListener first) {
        try {
            start.run();
        } catch (RuntimeException | Error away) {
            started = false;
            listeners.remove(first);
            throw away;
        }
    }

    /** Lets all know. */
    public void tell(Consumer<FeedListener> news) {
        listeners.forEach(news);
    }
}
