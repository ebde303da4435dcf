/** Limits and rates: slots that workers share through documents, and the admission of jobs by a worker. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.limit;
