/** The checks of the page of problems and of {@code couchjobs doctor}: one small class per check. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.dashboard.doctor;
