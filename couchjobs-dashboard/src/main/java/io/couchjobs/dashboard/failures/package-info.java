/** Groups failed and stuck jobs by failure, for {@code couchjobs failures}. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.dashboard.failures;
