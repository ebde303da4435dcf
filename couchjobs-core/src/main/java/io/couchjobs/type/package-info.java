/** Settings of job types: timeouts, limits, rates, retries and retention. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.type;
