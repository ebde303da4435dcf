/** The dashboard of couchjobs: a web page that shows what a queue does, and lets people act on it. */
module io.couchjobs.dashboard {
    requires transitive io.couchjobs;
    requires transitive jdk.httpserver;
    requires org.slf4j;

    exports io.couchjobs.dashboard;
    exports io.couchjobs.dashboard.doctor;
}
