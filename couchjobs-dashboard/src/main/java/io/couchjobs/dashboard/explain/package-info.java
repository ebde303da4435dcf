/** Why a job does not run: {@code couchjobs explain}. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.dashboard.explain;
