/**
 * Keeps a database small and safe: retention, garbage collection, users, roles and the guard against forged writes.
 *
 * <p>Start with {@link io.couchjobs.admin.GarbageCollection} and {@link io.couchjobs.admin.QueueSecurity}. A collection needs no
 * pause of the workers: one that is killed leaves nothing half-done. Documents that are not couchjobs' own are never touched.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.admin;
