package io.couchjobs.conformance;

import io.couchjobs.embedded.EmbeddedCouch;
import java.net.URI;

/** The server that the suite runs against: the one named by {@code COUCHJOBS_TEST_URL}, or else the embedded one. */
final class ConfiguredServer {
    private ConfiguredServer() {}

    static URI url() {
        String named = System.getenv("COUCHJOBS_TEST_URL");
        return URI.create(named == null || named.isBlank() ? Embedded.url() : named);
    }

    /** Started when first asked for; in memory, it ends with the process. */
    private static final class Embedded {
        private static final EmbeddedCouch SERVER =
                EmbeddedCouch.inMemory().admin("admin", "secret").start();

        static String url() {
            return "http://admin:secret@127.0.0.1:" + SERVER.port();
        }
    }
}
