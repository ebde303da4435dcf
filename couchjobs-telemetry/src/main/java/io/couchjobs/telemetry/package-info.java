/** Metrics for Micrometer and traces for OpenTelemetry, as extensions of a queue. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.telemetry;
