/** Limits and rates: slots that workers share through documents, and which jobs a worker admits. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.limit;
