/** The dashboard. Start at {@link io.couchjobs.dashboard.Dashboard}. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.dashboard;
