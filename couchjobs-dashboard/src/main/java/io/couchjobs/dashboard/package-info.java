/** The dashboard: {@link io.couchjobs.dashboard.Dashboard} is where to begin. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.dashboard;
