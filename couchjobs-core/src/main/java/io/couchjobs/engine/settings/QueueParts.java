package io.couchjobs.engine.settings;

import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;

/** The objects that all parts of one open queue share. Immutable and thread-safe. */
public record QueueParts(JobStore store, JobIndex index, SettingsStore settings, Feed feed, ServerClock clock) {}
