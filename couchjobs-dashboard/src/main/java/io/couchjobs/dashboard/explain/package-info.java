/** Explains why a job does not run, for {@code couchjobs explain}. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.dashboard.explain;
