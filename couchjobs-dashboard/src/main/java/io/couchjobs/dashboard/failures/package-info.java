/** Failed and stuck jobs in groups of the same failure: {@code couchjobs failures}. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.dashboard.failures;
