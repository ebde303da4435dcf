/**
 * Keeps the database small: retention, and what CouchDB leaves behind. Start with {@link io.couchjobs.gc.GarbageCollection}; what
 * workers do by themselves is {@link io.couchjobs.gc.Sweeper}.
 *
 * <p>Nothing here needs to be alone: workers, other collections and creators go on meanwhile, and a collection that is
 * killed leaves nothing half-done. Documents that are not couchjobs' own are never touched.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.gc;
