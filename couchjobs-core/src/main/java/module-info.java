/** The couchjobs library: a document job queue on Apache CouchDB. */
module io.couchjobs {
    requires transitive com.fasterxml.jackson.databind;
    requires com.fasterxml.jackson.datatype.jdk8;
    requires com.fasterxml.jackson.datatype.jsr310;
    requires transitive org.jspecify;
    requires com.cronutils;
    requires org.slf4j;
    requires org.apache.httpcomponents.client5.httpclient5;
    requires org.apache.httpcomponents.core5.httpcore5;
    requires org.apache.httpcomponents.httpcore;
    requires transitive org.ektorp;

    exports io.couchjobs;
    exports io.couchjobs.admin;
    exports io.couchjobs.couch;
    exports io.couchjobs.couch.config;
    exports io.couchjobs.job;
    exports io.couchjobs.process;
    exports io.couchjobs.schedule;
    exports io.couchjobs.scope;
    exports io.couchjobs.type;
    exports io.couchjobs.worker;

    // The engine is not exported. What the dashboard and the metrics still use of it is to become public verbs.
    exports io.couchjobs.engine.document to
            io.couchjobs.dashboard,
            io.couchjobs.telemetry;
    exports io.couchjobs.engine.feed to
            io.couchjobs.dashboard;
    exports io.couchjobs.engine.index to
            io.couchjobs.dashboard;
    exports io.couchjobs.engine.log to
            io.couchjobs.dashboard;
    exports io.couchjobs.engine.registry to
            io.couchjobs.dashboard;
    exports io.couchjobs.engine.settings to
            io.couchjobs.dashboard;
    exports io.couchjobs.engine.store to
            io.couchjobs.dashboard;
}
