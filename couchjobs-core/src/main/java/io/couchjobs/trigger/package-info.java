/** Triggers: jobs that are made from the changes of other databases. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.trigger;
