/** An in-process, CouchDB-compatible server for development and tests. Not for production. */
module io.couchjobs.embedded {
    requires com.fasterxml.jackson.databind;
    requires com.h2database.mvstore;
    requires com.ibm.icu;
    requires org.mozilla.rhino;
    requires org.slf4j;
    requires jdk.httpserver;
    requires static transitive org.junit.jupiter.api;
    requires static transitive org.jspecify;

    exports io.couchjobs.embedded;
    exports io.couchjobs.embedded.junit;
}
