/** The couchjobs library: a job queue on Apache CouchDB. */
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
    requires org.ektorp;

    exports io.couchjobs;
    exports io.couchjobs.admin;
    exports io.couchjobs.couch;
    exports io.couchjobs.couch.config;
    exports io.couchjobs.job;
    exports io.couchjobs.process;
    exports io.couchjobs.schedule;
    exports io.couchjobs.scope;
    exports io.couchjobs.trigger;
    exports io.couchjobs.type;
    exports io.couchjobs.worker;

    uses com.fasterxml.jackson.databind.Module;
}
