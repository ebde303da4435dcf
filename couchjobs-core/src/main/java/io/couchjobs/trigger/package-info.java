/** Triggers, which make jobs from the changes of other databases. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.trigger;
