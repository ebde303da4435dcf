/** Metrics and traces for couchjobs. */
module io.couchjobs.telemetry {
    requires transitive io.couchjobs;
    requires org.slf4j;
    requires static transitive micrometer.core;
    requires static transitive io.opentelemetry.api;
    requires static io.opentelemetry.context;

    exports io.couchjobs.telemetry;
}
