package io.couchjobs.store;

/**
 * What all parts of one open queue share. Immutable and thread-safe.
 *
 * @param store reads and writes jobs
 * @param index finds jobs
 * @param settings the settings of the types
 * @param feed tells of changes
 * @param clock the server's time of day and a monotonic clock
 */
public record QueueParts(JobStore store, JobIndex index, SettingsStore settings, Feed feed, StoreClock clock) {}
