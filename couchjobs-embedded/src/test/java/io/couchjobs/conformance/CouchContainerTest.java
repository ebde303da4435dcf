package io.couchjobs.conformance;

import java.net.URI;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

/** The whole suite against CouchDB in a container; skipped without Docker, and where a server is named. */
@Testcontainers(disabledWithoutDocker = true)
@DisabledIfEnvironmentVariable(named = "COUCHJOBS_TEST_URL", matches = ".+", disabledReason = "a server is named")
class CouchContainerTest {
    @Container
    @SuppressWarnings("resource") // Testcontainers stops it.
    static final GenericContainer<?> COUCHDB = new GenericContainer<>("couchdb:3.5")
            .withEnv("COUCHDB_USER", "admin")
            .withEnv("COUCHDB_PASSWORD", "secret")
            .withExposedPorts(5984)
            .waitingFor(Wait.forHttp("/_up"));

    @RegisterExtension
    static final ServerExtension SERVER = new ServerExtension(CouchContainerTest::url);

    private static URI url() {
        return URI.create("http://admin:secret@" + COUCHDB.getHost() + ":" + COUCHDB.getMappedPort(5984));
    }

    @Nested
    class Servers extends ServerContract {}

    @Nested
    class Sessions extends SessionContract {}

    @Nested
    class Databases extends DatabaseContract {}

    @Nested
    class Documents extends DocumentContract {}

    @Nested
    class DocumentIds extends DocumentIdContract {}

    @Nested
    class Refusals extends RefusalContract {}

    @Nested
    class Revisions extends RevisionContract {}

    @Nested
    class Conflicts extends ConflictContract {}

    @Nested
    class Attachments extends AttachmentContract {}
}
