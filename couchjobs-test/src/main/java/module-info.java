/** Test support for applications that use couchjobs. */
module io.couchjobs.test {
    requires transitive io.couchjobs;
    requires transitive io.couchjobs.embedded;
    requires com.fasterxml.jackson.databind;
    requires org.slf4j;
    requires static transitive org.junit.jupiter.api;

    exports io.couchjobs.test;

    uses io.couchjobs.test.TestQueueProvider;
}
