package io.couchjobs.conformance;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The whole suite against the {@link ConfiguredServer}. */
@Tag("server")
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class ConfiguredServerTest {
    @RegisterExtension
    static final ServerExtension SERVER = new ServerExtension(ConfiguredServer::url);

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
