package io.couchjobs.engine;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.alarm.OpenAlarms;
import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.conflict.ConflictWatch;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.create.AsyncCreator;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.engine.feed.PatientListener;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.IndexWarmer;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.index.Listing;
import io.couchjobs.engine.log.JobLogs;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.JobWriter;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.engine.watch.Watch;
import io.couchjobs.job.QueueListener;
import io.couchjobs.job.Site;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The parts of one open queue, wired together. Only this class decides which other parts each part gets. Immutable and
 * thread-safe.
 *
 * @param client the name under which this process accepts jobs without a worker
 * @param parts the parts that most other parts share
 * @param alarms the started alarms, which end with the queue
 */
public record Engine(
        CouchDatabase database,
        String client,
        DesignDocuments designs,
        Listing listing,
        IndexWarmer warmer,
        QueueParts parts,
        ConflictWatch conflicts,
        Creator creator,
        AsyncCreator asyncCreator,
        Watch watch,
        JobLogs logs,
        Finder finder,
        OpenAlarms alarms) {

    /**
     * Wires the parts of a queue. Does no I/O.
     *
     * @param site which of several databases that replicate to each other this one is
     * @param defaultTimeout the timeout of types that have none
     * @param listeners hear of the actions of this process
     * @param dataLimit the most bytes of JSON data that a job's document holds; longer data is attached
     */
    public static Engine of(
            CouchDatabase database,
            Site site,
            ServerClock clock,
            Duration defaultTimeout,
            List<? extends QueueListener> listeners,
            int dataLimit) {
        DesignDocuments designs = new DesignDocuments(database);
        JobIndex index = new JobIndex(designs, site);
        IndexWarmer warmer = new IndexWarmer(index::warm, ServerAccess.environment(database.server()));
        SettingsStore settings = new SettingsStore(database, defaultTimeout);
        JobWriter writer = new JobWriter(database, site, warmer::wrote);
        ConflictWatch conflicts = new ConflictWatch(writer, index, settings, clock);
        JobStore store = new JobStore(writer, conflicts, listeners, dataLimit);
        List<FeedListener> always = new ArrayList<>(List.of(settings, conflicts));
        if (!listeners.isEmpty()) {
            always.add(0, PatientListener.ofRevisions(store.listener()::changed));
        }
        Feed feed = new Feed(store, always);
        QueueParts parts = new QueueParts(store, index, settings, feed, clock);
        Creator creator = new Creator(store, clock);
        String client = "client-" + store.environment().uuid();
        Finder finder = new Finder(parts, client);
        finder.candidates().beginAnywhere();
        return new Engine(
                database,
                client,
                designs,
                new Listing(designs, index),
                warmer,
                parts,
                conflicts,
                creator,
                new AsyncCreator(store, creator),
                new Watch(feed, store),
                new JobLogs(store, feed),
                finder,
                new OpenAlarms());
    }

    public JobIndex index() {
        return parts.index();
    }

    public SettingsStore settings() {
        return parts.settings();
    }
}
