/** What the page of problems and {@code couchjobs doctor} look at: one small class per check. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.dashboard.doctor;
