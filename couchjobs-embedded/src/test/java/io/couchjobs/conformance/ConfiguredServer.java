package io.couchjobs.conformance;

import java.net.URI;
import org.opentest4j.TestAbortedException;

/** The server that the suite runs against: the one named by {@code COUCHJOBS_TEST_URL}. */
final class ConfiguredServer {
    private ConfiguredServer() {}

    static URI url() {
        String url = System.getenv("COUCHJOBS_TEST_URL");
        if (url == null || url.isBlank()) {
            throw new TestAbortedException("no server: set COUCHJOBS_TEST_URL=http://user:password@host:port");
        }
        return URI.create(url);
    }
}
