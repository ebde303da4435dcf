package io.couchjobs.conformance;

import java.net.URI;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

/** The whole suite against CouchDB in a container; skipped without Docker, and where a server is named. */
@Testcontainers(disabledWithoutDocker = true)
@DisabledIfEnvironmentVariable(named = "COUCHJOBS_TEST_URL", matches = ".+", disabledReason = "a server is named")
@Timeout(60)
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

    @Nested
    class BulkWrites extends BulkWriteContract {}

    @Nested
    class BulkReads extends BulkReadContract {}

    @Nested
    class AllDocs extends AllDocsContract {}

    @Nested
    class Views extends ViewContract {}

    @Nested
    class ViewRanges extends ViewRangeContract {}

    @Nested
    class ViewUpdates extends ViewUpdateContract {}

    @Nested
    class Collation extends CollationContract {}

    @Nested
    class Reduces extends ReduceContract {}

    @Nested
    class Validations extends ValidationContract {}

    @Nested
    class Changes extends ChangesContract {}

    @Nested
    class LongPolls extends LongPollContract {}

    @Nested
    class ContinuousFeeds extends ContinuousFeedContract {}

    @Nested
    class FeedFilters extends FeedFilterContract {}

    @Nested
    class LocalDocuments extends LocalDocumentContract {}

    @Nested
    class Purges extends PurgeContract {}

    @Nested
    class Transports extends TransportContract {}

    @Nested
    class Queues extends QueueContract {}
}
