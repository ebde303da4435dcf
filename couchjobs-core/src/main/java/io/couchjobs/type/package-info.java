/** Settings of a job type: time-outs, limits, rates, retries and retention. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.type;
