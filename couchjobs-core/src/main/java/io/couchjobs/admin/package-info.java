/**
 * Administration of a database: retention, garbage collection, history, alarms, users, roles and the guard against forged writes.
 *
 * <p>Start with {@link io.couchjobs.admin.GarbageCollection} and {@link io.couchjobs.admin.QueueSecurity}. Workers may run during a
 * garbage collection, and a killed collection leaves nothing half-done. Documents that do not belong to couchjobs are never
 * touched.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.admin;
